/** A list, or what to say while it is empty. */
import type { Child, PropsWithChildren } from "hono/jsx";
import { EmptyState } from "./display";

interface ListProps<Item> {
  of: readonly Item[];
  /** Shows one of them, as an `li`. */
  row: (item: Item) => Child;
  /** Says that there is none. `children` say what to do about it. */
  empty: string;
}

export const List = <Item,>({ of, row, empty, children }: PropsWithChildren<ListProps<Item>>) =>
  of.length === 0 ? (
    <EmptyState title={empty}>{children && <p class="muted">{children}</p>}</EmptyState>
  ) : (
    <ul class="list">{of.map(row)}</ul>
  );
