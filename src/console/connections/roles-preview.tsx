/** What the rules in a form would change, counted before they are saved. */
import type { RolesPreview } from "../../directory/groups/schemas";
import { SubmitButton } from "../components/buttons";
import { Banner } from "../components/display";

interface PreviewProps {
  /** The path to which the form is sent for it. */
  action: string;
  /** Undefined: nobody has asked for it. */
  counted: RolesPreview | undefined;
}

/** Within the form of the rules, after its other buttons: the return key presses the first. */
export const PreviewRoles = ({ action, counted }: PreviewProps) => (
  <>
    <p>
      <SubmitButton kind="plain" formaction={action}>
        Count what the rules would change
      </SubmitButton>
    </p>
    {counted && <Counted counted={counted} />}
  </>
);

const Counted = ({ counted: { changes, people, complete } }: { counted: RolesPreview }) => (
  <Banner kind="note">
    <p>
      {changes.length === 0 ? "Nobody would get another role." : "If you save these rules:"} Looked at: {people}{" "}
      {people === 1 ? "person" : "people"} of the directory{complete ? "" : ", which has more"}.
    </p>
    {changes.length > 0 && (
      <ul>
        {changes.map((change) => (
          <li>{textOf(change)}</li>
        ))}
      </ul>
    )}
  </Banner>
);

function textOf({ from, to, count }: RolesPreview["changes"][number]): string {
  if (from === null) return `${count} would get in, as ${to}`;
  return to === null ? `${count} with the role ${from} would not get in any more` : `${count}: ${from} → ${to}`;
}
