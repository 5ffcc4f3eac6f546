/** A table that scrolls where it is wider than its place. */
import type { Child, PropsWithChildren } from "hono/jsx";
import { ScrollArea } from "./display";

/** A heading, and how its column is shown: as numbers, or only where there is room. */
type StyledColumn = readonly [heading: Child, style: "num" | "wide" | "wide num"];
type Column = Exclude<Child, readonly unknown[]> | StyledColumn;

interface TableProps {
  /** Its name for screen readers. */
  label: string;
  columns: readonly Column[];
  /** Whether each row leads where its first link leads. */
  opens?: true;
}

const isStyled = (column: Column): column is StyledColumn => Array.isArray(column);

/** `children` are its rows. */
export const Table = ({ label, columns, opens, children }: PropsWithChildren<TableProps>) => (
  <ScrollArea label={label}>
    <table class={opens ? "opens" : undefined}>
      <thead>
        <tr>
          {columns.map((column) => {
            const [heading, name] = isStyled(column) ? column : [column];
            // A header without a text is none: the column has only buttons.
            if (heading === "") return <td class={name} />;
            return (
              <th scope="col" class={name}>
                {heading}
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </ScrollArea>
);
