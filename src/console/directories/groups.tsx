/** The groups that a directory has here, with the roles that the rules give their members. */
import type { ListedGroup } from "../../directory/groups/pages";
import { LinkButton } from "../components/buttons";
import { EmptyState } from "../components/display";
import { Table } from "../components/table";
import { Trail } from "../components/trail";
import { pathOf } from "./paths";

interface GroupsProps {
  id: string;
  /** Of the connection. */
  name: string;
  groups: readonly ListedGroup[];
  /** The path of the next page; null: this is the last one. */
  next: string | null;
}

/** Beyond it, members are not counted. */
const MOST_COUNTED = 500;

export const GroupsPage = ({ id, name, groups, next }: GroupsProps) => (
  <>
    <Trail to={{ "/connections": "Single sign-on", [pathOf(id)]: `Directory of ${name}` }} />
    <h1>Groups</h1>
    {groups.length === 0 ? (
      <EmptyState title="No groups">
        <p class="muted">The directory has sent none, or this is behind the last one.</p>
      </EmptyState>
    ) : (
      <Table label="Groups" columns={["Name", "Members", "Role by a rule"]}>
        {groups.map(({ name: group, members, role }) => (
          <tr>
            <td class="break">{group}</td>
            <td>{members > MOST_COUNTED ? `more than ${MOST_COUNTED}` : members}</td>
            <td>{role ?? "none"}</td>
          </tr>
        ))}
      </Table>
    )}
    {next && <LinkButton to={next}>Next</LinkButton>}
  </>
);
