/** One connection: what to enter at the provider, its test, its state, and what came of sign-ons. */
import type { ConnectionView } from "../../sign-on/connections/schemas";
import type { TraceView } from "../../sign-on/traces/schemas";
import { ActionButton, LinkButton } from "../components/buttons";
import { Banner, Card, Copyable, Time } from "../components/display";
import { FactList } from "../components/facts";
import { FailureBanner } from "../components/failure";
import { Trail } from "../components/trail";
import { HERE, StateBadge } from "./list";
import { CONNECTION_RECIPES } from "./recipes";
import { Traces } from "./traces";

interface DetailProps {
  connection: ConnectionView;
  traces: readonly TraceView[];
  isOwner: boolean;
}

export const ConnectionDetail = ({ connection, traces, isOwner }: DetailProps) => (
  <>
    <Trail to={{ [HERE]: "Single sign-on" }} />
    <div class="head">
      <div class="row">
        <h1>{connection.name}</h1>
        <StateBadge state={connection.state} />
      </div>
      {isOwner && <Actions connection={connection} />}
    </div>
    <FailureBanner />
    {connection.problems.length > 0 && (
      <Banner kind="note">{connection.problems.map(({ message }) => `${message}.`).join(" ")}</Banner>
    )}
    <div class="columns">
      <AtProvider connection={connection} />
      <SettingFacts connection={connection} />
    </div>
    <Traces id={connection.id} traces={traces} />
  </>
);

const Actions = ({ connection: { id, state, problems } }: { connection: ConnectionView }) => (
  <div class="row">
    {state !== "draft" && (
      <ActionButton action={`${HERE}/${id}/test`} {...(problems.length > 0 ? { kind: "main" as const } : {})}>
        Test
      </ActionButton>
    )}
    {(state === "ready" || state === "disabled") && problems.length === 0 && (
      <ActionButton action={`${HERE}/${id}/activate`} kind="main">
        Activate
      </ActionButton>
    )}
    {state === "active" && <LinkButton to={`${HERE}/${id}/disable`}>Disable</LinkButton>}
    <LinkButton to={`${HERE}/${id}/edit`}>Edit</LinkButton>
    <LinkButton to={`${HERE}/${id}/delete`} kind="danger">
      Delete
    </LinkButton>
  </div>
);

const AtProvider = ({ connection }: { connection: ConnectionView }) => (
  <Card id="at-provider" title={`At ${CONNECTION_RECIPES[connection.provider].title}`}>
    <ol class="steps">
      {CONNECTION_RECIPES[connection.provider].steps.map((step) => (
        <li>{step}</li>
      ))}
    </ol>
    <FactList
      facts={[
        ["Redirect URI", <Copyable text={connection.redirectUri} label="the redirect URI" />],
        ["Initiate login URI", <Copyable text={connection.initiateUri} label="the initiate login URI" />],
        ["Back-channel logout URL", <Copyable text={connection.logoutUri} label="the back-channel logout URL" />],
        connection.jwksUri !== undefined && [
          "Keys (JWKS)",
          <Copyable text={connection.jwksUri} label="the address of the keys" />,
        ],
      ]}
    />
  </Card>
);

const SettingFacts = ({
  connection: { id, oidc, roles, session, testedAt, lastSignOnAt },
}: {
  connection: ConnectionView;
}) => (
  <section class="card" aria-label="Settings">
    <FactList
      facts={[
        ["Issuer", oidc.issuer ?? "none yet", "break"],
        ["Client ID", oidc.clientId ?? "none yet", "break"],
        ["Client secret", secretText(oidc)],
        ["Role without a rule", roles.default ?? "none: they do not get in"],
        ["Rules", String(roles.rules.length)],
        ["Session", `${session.hours} hours`],
        ["Tested", testedAt === null ? "not as it is now" : <Time at={testedAt} />],
        ["Last sign-on", lastSignOnAt === null ? "none yet" : <Time at={lastSignOnAt} />],
        ["ID", <Copyable text={id} label="the ID" />],
      ]}
    />
  </section>
);

function secretText({ clientAuth, clientSecret }: ConnectionView["oidc"]): string {
  if (clientAuth === "private_key_jwt") return "a key of its own";
  if (clientSecret === null) return "none yet";
  return clientSecret.last4 === null ? "a short one" : `…${clientSecret.last4}`;
}
