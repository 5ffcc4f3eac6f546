/** What came of tests, and why sign-ons were refused. */
import type { TraceView } from "../../sign-on/traces/schemas";
import { LinkButton } from "../components/buttons";
import { Badge, Banner, Card, EmptyState, Moment, Time, type Tone } from "../components/display";
import { FactList } from "../components/facts";
import { A } from "../components/mount";
import { NarrowPage } from "../components/narrow-page";
import { Table } from "../components/table";
import { HERE } from "./list";

const OUTCOMES: Readonly<Record<TraceView["outcome"], readonly [tone: Tone, text: string]>> = {
  started: ["wait", "Not finished"],
  succeeded: ["ok", "Succeeded"],
  refused: ["bad", "Refused"],
};

const KINDS = {
  test: ["Test", "Test"],
  "sign-on": ["Sign-on", "Refused sign-on"],
  logout: ["Sign-out", "Refused sign-out"],
} as const satisfies Record<TraceView["kind"], readonly [inList: string, title: string]>;

const Outcome = ({ outcome }: Pick<TraceView, "outcome">) => (
  <Badge tone={OUTCOMES[outcome][0]}>{OUTCOMES[outcome][1]}</Badge>
);

export const Traces = ({ id, traces }: { id: string; traces: readonly TraceView[] }) => (
  <Card id="traces" title="Tests and refusals">
    {traces.length === 0 ? (
      <EmptyState title="Nothing yet">
        <p class="muted">Tests and refused sign-ons of the last 30 days appear here.</p>
      </EmptyState>
    ) : (
      <Table label="List of tests and refusals" columns={["When", "What", "Outcome", ["Reason", "wide"]]}>
        {traces.map((trace) => (
          <tr>
            <td class="small">
              <A to={`${HERE}/${id}/traces/${trace.id}`}>
                <Time at={trace.at} />
              </A>
            </td>
            <td>{KINDS[trace.kind][0]}</td>
            <td>
              <Outcome outcome={trace.outcome} />
            </td>
            <td class="wide small">{trace.reason ?? ""}</td>
          </tr>
        ))}
      </Table>
    )}
  </Card>
);

interface TraceProps {
  id: string;
  name: string;
  trace: TraceView;
}

export const TracePage = ({ id, name, trace }: TraceProps) => (
  <NarrowPage title={KINDS[trace.kind][1]} trail={{ [HERE]: "Single sign-on", [`${HERE}/${id}`]: name }}>
    {trace.message !== null && <Banner kind={trace.outcome === "refused" ? "bad" : "note"}>{trace.message}</Banner>}
    {trace.outcome === "succeeded" && <Banner kind="ok">The test has succeeded. Nobody was signed in.</Banner>}
    <section class="card" aria-label="Result">
      <FactList
        facts={[
          ["Outcome", <Outcome outcome={trace.outcome} />],
          ["When", <Moment at={trace.at} />],
          ["Step", trace.step],
          trace.reason !== null && ["Reason", trace.reason],
          trace.would !== null && trace.would.account !== null && ["Account", ACCOUNTS[trace.would.account]],
          trace.would !== null && ["Role", roleText(trace.would)],
          trace.would !== null && ["Domain", trace.would.domain ?? "none"],
        ]}
      />
    </section>
    {trace.claims !== null && (
      <Card id="claims" title="What the provider said">
        <FactList
          facts={Object.entries(trace.claims).map(
            ([claim, value]) => [claim, value === null ? "was there" : textOf(value), "break"] as const,
          )}
        />
      </Card>
    )}
    <LinkButton to={`${HERE}/${id}`}>Back to the connection</LinkButton>
  </NarrowPage>
);

const ACCOUNTS = {
  found: "The person is known, and would be signed on",
  made: "A new one would be made",
  linked: "The one with this address would be linked",
} as const;

const roleText = ({ role, rule }: NonNullable<TraceView["would"]>): string => {
  if (role === null) return "none, or what it is";
  return rule === null ? role : `${role}, by rule ${rule + 1}`;
};

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
