/** A table that scrolls where it is wider than its place. */
import type { PropsWithChildren } from "hono/jsx";
import { ScrollArea } from "./display";

/** A heading, and how its column is shown: as numbers, or only where there is room. */
type Column = string | readonly [heading: string, style: "num" | "wide" | "wide num"];

/** `children` are its rows; `label` names it for screen readers. */
export const Table = ({
  label,
  columns,
  children,
}: PropsWithChildren<{ label: string; columns: readonly Column[] }>) => (
  <ScrollArea label={label}>
    <table>
      <thead>
        <tr>
          {columns.map((column) => {
            const [heading, name] = typeof column === "string" ? [column] : column;
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
