/** One import: how far it has come, and what became of its lines. */
import type { Import, ImportedLine } from "../../service/imports/schemas";
import { GetForm, LinkButton, SubmitButton } from "../components/buttons";
import { Badge, Card, EmptyState, LiveIndicator, Moment, type Tone } from "../components/display";
import { Select } from "../components/fields";
import { A, useHref } from "../components/mount";
import { Table } from "../components/table";
import { Trail } from "../components/trail";
import { ABOVE_IMPORT, HERE, State, titleOf } from "./list";

export interface ImportView {
  import: Import;
  report: { data: readonly ImportedLine[]; nextCursor: string | null };
  /** The outcome that is shown; empty: all. */
  outcome: string;
}

const OUTCOMES = [
  ["", "All"],
  ["created", "Created"],
  ["updated", "Updated"],
  ["skipped", "Skipped"],
  ["refused", "Refused"],
] as const;

export const ImportDetail = ({ import: shown, report, outcome }: ImportView) => (
  <>
    <Trail to={ABOVE_IMPORT} />
    <div class="head">
      <h1>{titleOf(shown)}</h1>
      {(shown.state === "open" || shown.state === "running") && (
        <LinkButton to={`${HERE}/${shown.id}/stop`} kind="danger">
          Stop
        </LinkButton>
      )}
    </div>
    <section class="card" aria-labelledby="progress">
      <div class="head">
        <h2 id="progress">Progress</h2>
        {shown.state === "running" && <LiveIndicator />}
      </div>
      <div data-live={shown.state === "running" ? useHref()(`${HERE}/${shown.id}/progress`) : undefined}>
        <Progress import={shown} />
      </div>
    </section>
    <Card id="report" title="Report">
      <GetForm class="filters" action={`${HERE}/${shown.id}`}>
        <Select name="outcome" label="Outcome" value={outcome} options={OUTCOMES} />
        <SubmitButton kind="plain">Filter</SubmitButton>
      </GetForm>
      <Report id={shown.id} outcome={outcome} report={report} />
    </Card>
  </>
);

/** The part of the page that the script refreshes. */
export const Progress = ({ import: shown }: Pick<ImportView, "import">) => (
  <>
    <p class="row">
      <State state={shown.state} />
      {shown.dryRun && <Badge tone="calm">dry run</Badge>}
      <progress max={Math.max(1, shown.rows)} value={shown.done} aria-label="Done">
        {shown.done} of {shown.rows}
      </progress>
    </p>
    <dl class="figures">
      {FIGURES.map(([name, member]) => (
        <div>
          <dt>{name}</dt>
          <dd>{shown[member].toLocaleString("en")}</dd>
        </div>
      ))}
    </dl>
    <p class="small muted">
      People who have an account are {shown.onExisting === "skip" ? "skipped" : "completed"}. Created{" "}
      <Moment at={shown.createdAt} />
      {shown.startedAt && (
        <>
          , started <Moment at={shown.startedAt} />
        </>
      )}
      {shown.endedAt && (
        <>
          , ended <Moment at={shown.endedAt} />
        </>
      )}
      .
    </p>
  </>
);

const FIGURES = [
  ["People", "rows"],
  ["Done", "done"],
  ["Created", "created"],
  ["Updated", "updated"],
  ["Skipped", "skipped"],
  ["Refused", "refused"],
  ["Came without their password, whose hash is out of bounds", "withoutPassword"],
  ["Have not signed in with their imported password yet", "waiting"],
] as const satisfies readonly (readonly [string, keyof Import])[];

const TONES: Record<ImportedLine["outcome"], Tone> = { created: "ok", updated: "ok", skipped: "calm", refused: "bad" };

function Report({
  id,
  outcome,
  report: { data, nextCursor },
}: Pick<ImportView, "report" | "outcome"> & { id: string }) {
  const more = new URLSearchParams({ ...(outcome === "" ? {} : { outcome }), cursor: nextCursor ?? "" });
  return (
    <>
      {data.length === 0 ? (
        <EmptyState title={nextCursor === null ? "No lines" : "No lines on this page"} />
      ) : (
        <Table label="Lines" columns={[["Line", "num"], "Outcome", "Person", "Why"]}>
          {data.map((line) => (
            <LineRow line={line} />
          ))}
        </Table>
      )}
      {nextCursor !== null && (
        <p class="after">
          <A to={`${HERE}/${id}?${more}`}>More lines</A>
        </p>
      )}
    </>
  );
}

const LineRow = ({ line: { line, outcome, email, externalId, userId, reason, ignored } }: { line: ImportedLine }) => (
  <tr>
    <td class="num">{line.toLocaleString("en")}</td>
    <td>
      <Badge tone={TONES[outcome]}>{outcome}</Badge>
    </td>
    <td>
      {userId ? <A to={`/operator/people/${userId}`}>{email ?? userId}</A> : email}{" "}
      {externalId && <code>{externalId}</code>}
    </td>
    <td class="small">
      {reason}
      {ignored && <div class="muted">Ignored: {ignored.join(", ")}</div>}
    </td>
  </tr>
);
