/** One connection: what to enter at the provider, its test, its state, and what came of sign-ons. */
import { ADDRESSES, PROVIDER_RECIPES } from "../../sign-on/connections/recipes";
import type { ConnectionView } from "../../sign-on/connections/schemas";
import type { DomainBody } from "../../sign-on/domains/schemas";
import type { TraceView } from "../../sign-on/traces/schemas";
import { ActionButton, LinkButton } from "../components/buttons";
import { Banner, Card, Copyable, Time } from "../components/display";
import { type Fact, FactList } from "../components/facts";
import { FailureBanner } from "../components/failure";
import { useIsSetup } from "../components/mount";
import { Trail } from "../components/trail";
import { DirectoryFacts } from "./directory-alone";
import { HERE, StateBadge } from "./list";
import { AtSamlProvider, samlFacts } from "./saml";
import { Traces } from "./traces";

interface DetailProps {
  connection: ConnectionView;
  traces: readonly TraceView[];
  /** Those of the tenant, if an owner has yet to look at the connection. */
  domains: readonly DomainBody[];
  mayChange: boolean;
}

export const ConnectionDetail = ({ connection, traces, domains, mayChange }: DetailProps) => (
  <>
    <Trail to={{ [HERE]: "Single sign-on" }} />
    <div class="head">
      <div class="row">
        <h1>{connection.name}</h1>
        <StateBadge state={connection.state} testedAt={connection.testedAt} />
      </div>
      {mayChange && <Actions connection={connection} />}
    </div>
    <FailureBanner />
    {connection.needsReview && <ToReview connection={connection} domains={domains} />}
    {connection.problems.length > 0 && (
      <Banner kind="note">{connection.problems.map(({ message }) => `${message}.`).join(" ")}</Banner>
    )}
    {connection.kind === "directory" ? (
      <DirectoryFacts connection={connection} />
    ) : (
      <>
        <div class="columns">
          {connection.kind === "saml" ? (
            <AtSamlProvider connection={connection} />
          ) : (
            <AtProvider connection={connection} />
          )}
          <SettingFacts connection={connection} />
        </div>
        <Traces id={connection.id} traces={traces} />
      </>
    )}
  </>
);

/** What an owner looks at before a connection that a setup link has made or changed signs anybody in. */
const ToReview = ({ connection, domains }: Pick<DetailProps, "connection" | "domains">) => (
  <Banner kind="warn">
    {useIsSetup() ? (
      <p>
        An owner looks at this connection and activates it. Until then{" "}
        {connection.kind === "directory" ? "its directory is refused" : "nobody signs in through it"}.
      </p>
    ) : connection.kind === "directory" ? (
      <p>
        Somebody with a setup link has made or changed this connection, so its directory is refused. Activate it if it
        is your own.
      </p>
    ) : (
      <>
        <p>
          Somebody with a setup link has made or changed this connection, so nobody signs in through it. Activate it if
          this is your own provider:
        </p>
        <FactList
          facts={[
            ...providerFacts(connection),
            ["Domains", domains.map(({ domain, state }) => `${domain} (${state})`).join(", ") || "none", "break"],
            ["Tested", connection.testedAt === null ? "not as it is now" : <Time at={connection.testedAt} />],
          ]}
        />
      </>
    )}
  </Banner>
);

/** Which provider it is. */
const providerFacts = (connection: ConnectionView): readonly Fact[] =>
  connection.kind === "saml"
    ? samlFacts(connection)
    : [
        ["Issuer", connection.oidc?.issuer ?? "none yet", "break"],
        ["Client ID", connection.oidc?.clientId ?? "none yet", "break"],
      ];

function Actions({ connection }: Pick<DetailProps, "connection">) {
  const { id, kind, state, needsReview, problems } = connection;
  const isSetup = useIsSetup();
  const isDirectory = kind === "directory";
  const isToActivate = state === "ready" || state === "disabled" || (state === "active" && needsReview);
  return (
    <div class="row">
      {state !== "draft" && !isDirectory && (
        <ActionButton action={`${HERE}/${id}/test`} {...(problems.length > 0 ? { kind: "main" as const } : {})}>
          Test
        </ActionButton>
      )}
      {!isSetup && isToActivate && problems.length === 0 && (
        <ActionButton action={isDirectory ? `/directories/${id}/accept` : `${HERE}/${id}/activate`} kind="main">
          Activate
        </ActionButton>
      )}
      {!isSetup && state === "active" && <LinkButton to={`${HERE}/${id}/disable`}>Disable</LinkButton>}
      <LinkButton to={`${HERE}/${id}/edit`}>Edit</LinkButton>
      {!isSetup && <LinkButton to={`/directories/${id}`}>Directory</LinkButton>}
      {!isSetup && (
        <LinkButton to={`${HERE}/${id}/delete`} kind="danger">
          Delete
        </LinkButton>
      )}
    </div>
  );
}

const AtProvider = ({ connection }: Pick<DetailProps, "connection">) => (
  <Card id="at-provider" title={`At ${PROVIDER_RECIPES[connection.provider].title}`}>
    <ol class="steps">
      {PROVIDER_RECIPES[connection.provider].steps.map(({ text, addresses = [], texts = {} }) => (
        <li>
          {text}
          {addresses.map((name) => (
            <div>
              <Copyable text={connection[name] ?? ""} label={`the ${ADDRESSES[name]}`} />
            </div>
          ))}
          {Object.entries(texts).map(([label, value]) => (
            <div>
              <Copyable text={value} label={label} />
            </div>
          ))}
        </li>
      ))}
    </ol>
    {connection.jwksUri !== undefined && (
      <FactList facts={[["Keys (JWKS)", <Copyable text={connection.jwksUri} label="the address of the keys" />]]} />
    )}
    {connection.provider !== "other" && (
      <p class="small">
        <a href={`/docs/sign-on-${connection.provider}`}>Step by step</a>
      </p>
    )}
  </Card>
);

function SettingFacts({ connection }: Pick<DetailProps, "connection">) {
  const { id, oidc, roles, session, testedAt, lastSignOnAt } = connection;
  const isSetup = useIsSetup();
  return (
    <section class="card" aria-label="Settings">
      <FactList
        facts={[
          ...providerFacts(connection),
          oidc !== undefined && ["Client secret", secretText(oidc)],
          !isSetup && ["Role without a rule", roles.default ?? "none: they do not get in"],
          !isSetup && ["Rules", String(roles.rules.length)],
          !isSetup && ["Session", `${session.hours} hours`],
          ["Tested", testedAt === null ? "not as it is now" : <Time at={testedAt} />],
          ["Last sign-on", lastSignOnAt === null ? "none yet" : <Time at={lastSignOnAt} />],
          ["ID", <Copyable text={id} label="the ID" />],
        ]}
      />
    </section>
  );
}

function secretText({ clientAuth, clientSecret }: NonNullable<ConnectionView["oidc"]>): string {
  if (clientAuth === "private_key_jwt") return "a key of its own";
  if (clientSecret === null) return "none yet";
  return clientSecret.last4 === null ? "a short one" : `…${clientSecret.last4}`;
}
