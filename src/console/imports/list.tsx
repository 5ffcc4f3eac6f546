/** The imports of people, newest first. */
import type { Import } from "../../service/imports/schemas";
import { Badge, EmptyState, LiveIndicator, Moment, type Tone } from "../components/display";
import { A, useHref } from "../components/mount";
import { Trail } from "../components/trail";

export const HERE = "/operator/imports";

export interface ImportList {
  imports: readonly Import[];
  nextCursor: string | null;
  /** The cursor of this page; undefined for the newest. */
  cursor: string | undefined;
}

/** The page above the list, and those above one of its entries. */
const ABOVE = { "/operator": "Operator" };
export const ABOVE_IMPORT = { ...ABOVE, [HERE]: "Imports" };

const withCursor = (path: string, cursor: string | undefined) =>
  cursor === undefined ? path : `${path}?cursor=${encodeURIComponent(cursor)}`;

export const Imports = (list: ImportList) => (
  <>
    <Trail to={ABOVE} />
    <h1>Imports</h1>
    <p class="muted">
      People whom your product imports with a platform key, in the last 90 days. See{" "}
      <a href="/docs/moving-in">Moving in</a>.
    </p>
    <section class="card" aria-labelledby="imports">
      <div class="head">
        <h2 id="imports">Imports</h2>
        <LiveIndicator />
      </div>
      <div data-live={useHref()(withCursor(`${HERE}/list`, list.cursor))}>
        <ImportRows {...list} />
      </div>
    </section>
  </>
);

/** The part of the page that the script refreshes. */
export const ImportRows = ({ imports, nextCursor }: ImportList) =>
  imports.length === 0 ? (
    <EmptyState title="No imports yet">
      <p class="muted">
        Import people with <code>postern import people</code> or <code>POST /platform/imports</code>.
      </p>
    </EmptyState>
  ) : (
    <>
      <ul class="list">
        {imports.map((one) => (
          <li>
            <div>
              <A to={`${HERE}/${one.id}`}>{titleOf(one)}</A>
              <div class="small muted">
                {summaryOf(one)}. Created <Moment at={one.createdAt} />
              </div>
            </div>
            <div class="row">
              {one.dryRun && <Badge tone="calm">dry run</Badge>}
              <State state={one.state} />
            </div>
          </li>
        ))}
      </ul>
      {nextCursor !== null && (
        <p class="after">
          <A to={withCursor(HERE, nextCursor)}>Older</A>
        </p>
      )}
    </>
  );

const TONES: Record<Import["state"], Tone> = { open: "wait", running: "wait", finished: "ok", stopped: "calm" };

export const State = ({ state }: Pick<Import, "state">) => <Badge tone={TONES[state]}>{state}</Badge>;

export const titleOf = ({ name, id }: Import): string => name ?? id;

const summaryOf = ({ done, rows, refused }: Import): string =>
  `${done.toLocaleString("en")} of ${people(rows)} done, ${refused.toLocaleString("en")} refused`;

const people = (count: number) => `${count.toLocaleString("en")} ${count === 1 ? "person" : "people"}`;
