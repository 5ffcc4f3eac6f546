/** The declared event types, and which types can be published. */
import type { Permission } from "../../base/schemas/roles";
import type { EventTypeSummary, Mode, Settings } from "../../webhooks/event-types/schemas";
import { LinkButton, PostForm, SubmitButton } from "../components/buttons";
import { Badge, Card, EmptyState } from "../components/display";
import { Select } from "../components/fields";
import { A } from "../components/mount";
import { Table } from "../components/table";
import { CatalogueCard } from "./catalogue";
import { HERE, pathOf } from "./paths";

const pageAfter = (cursor: string, isAll: boolean): string =>
  `${HERE}?${new URLSearchParams({ cursor, ...(isAll ? { archived: "include" } : {}) })}`;

const MODES: Record<Mode, string> = {
  open: "Any type",
  known: "Only declared types that are not archived",
  validated: "Only declared types with a schema that the payload fits",
};

export const ENFORCEMENTS = {
  off: "not checked",
  warn: "checked, with a warning",
  reject: "checked, refused if it does not fit",
} as const;

interface ListProps {
  types: readonly EventTypeSummary[];
  /** Whether archived types are listed. */
  isAll: boolean;
  nextCursor: string | null;
  settings: Settings;
  permissions: ReadonlySet<Permission>;
}

export function TypeList({ types, isAll, nextCursor, settings, permissions }: ListProps) {
  const mayCreate = permissions.has("webhook.create");
  const mayManage = permissions.has("member.manage");
  return (
    <>
      <div class="head">
        <h1>Event types</h1>
        {mayCreate && (
          <LinkButton to={`${HERE}/new`} kind="main">
            Declare a type
          </LinkButton>
        )}
      </div>
      <p class="muted">
        Declare the types of your events to describe them, to check payloads, or to refuse mistyped names.{" "}
        <a href="/docs/event-types">How it works</a>
      </p>
      <div class="card">{types.length === 0 ? <NoTypes /> : <Rows types={types} />}</div>
      <p>
        <A to={isAll ? HERE : `${HERE}?archived=include`}>{isAll ? "Hide" : "Show"} archived types</A>{" "}
        {nextCursor !== null && <A to={pageAfter(nextCursor, isAll)}>Next page</A>}
      </p>
      <ModeCard mode={settings.mode} mayChange={mayManage} />
      <CatalogueCard catalogue={settings.catalog} mayChange={mayManage} />
    </>
  );
}

const NoTypes = () => (
  <EmptyState title="No event types">
    <p class="muted">Events of any type can be published without being declared.</p>
  </EmptyState>
);

export const TypeState = ({ type }: { type: EventTypeSummary }) => (
  <span class="row tight">
    {type.scope === "platform" && <Badge tone="calm">of the platform</Badge>}
    {type.shadowed && <Badge tone="calm">does not count: the platform has one of this name</Badge>}
    {type.archived && <Badge tone="calm">archived</Badge>}
    {type.deprecated && <Badge tone="wait">deprecated</Badge>}
    {type.warned && <Badge tone="bad">{type.warned.count} with warnings</Badge>}
  </span>
);

const Rows = ({ types }: Pick<ListProps, "types">) => (
  <Table label="Event types" columns={["Name", ["Payload", "wide"], "Version", "State"]} opens>
    {types.map((type) => (
      <tr>
        <td class="break">
          <A to={pathOf(type.name)}>{type.name}</A>
          {type.group && <div class="small muted">{type.group}</div>}
        </td>
        <td class="wide">{ENFORCEMENTS[type.enforce]}</td>
        <td>{type.latestVersion === 0 ? <span class="muted">no schema</span> : type.latestVersion}</td>
        <td>
          <TypeState type={type} />
        </td>
      </tr>
    ))}
  </Table>
);

const ModeCard = ({ mode, mayChange }: { mode: Mode; mayChange: boolean }) => (
  <Card id="mode-title" title="What can be published">
    {mayChange ? (
      <PostForm action="/tenants/event-types" class="row">
        <Select name="mode" label="Types" value={mode} options={Object.entries(MODES)} hiddenLabel />
        <SubmitButton kind="plain">Save</SubmitButton>
      </PostForm>
    ) : (
      <p>{MODES[mode]}</p>
    )}
  </Card>
);
