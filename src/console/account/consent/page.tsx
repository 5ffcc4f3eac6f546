/** The page on which somebody allows an app what it asks for. */
import type { ClientRow } from "../../../oauth/clients/store";
import type { AskingDevice } from "../../../oauth/devices/device";
import { scopesAt } from "../../../oauth/granted-scopes";
import type { ResourceRow } from "../../../oauth/resources/store";
import { PostForm } from "../../components/buttons";
import { Say } from "../../components/mount";
import { NarrowPage } from "../../components/narrow-page";
import { DeviceFacts } from "../device/facts";
import { ScopeText } from "../scope-text";

interface ConsentProps {
  client: ClientRow;
  /** Where the app is reached; null for one on the person's device. */
  host: string | null;
  /** The device that asks; undefined for an app that has sent the browser. */
  device: AskingDevice | undefined;
  /** See `granted-scopes.ts`. */
  scopes: readonly string[];
  /** The APIs of these scopes. */
  resources: readonly ResourceRow[];
  email: string;
  tenantName: string;
  /** The sealed question. */
  ask: string;
  /** Leads to a sign-in with another account. */
  another: string;
}

/** Whoever has not been registered says its name itself, so its host comes first. */
export const Consent = ({ client, host, device, scopes, resources, email, tenantName, ask, another }: ConsentProps) => (
  <NarrowPage title={<Say of="consent.title" values={{ app: client.host ?? client.name }} />}>
    <PostForm action="/consent" class="card">
      {client.host === null ? null : (
        <p class="break">
          <Say
            of="consent.unlisted"
            values={{ host: <strong>{client.host}</strong>, app: <strong>{client.name}</strong> }}
          />
        </p>
      )}
      <p class="break">
        <Say
          of="consent.where"
          values={{
            host: <strong>{host ?? <Say of={device ? "device.device" : "consent.thisDevice"} />}</strong>,
            email: <strong>{email}</strong>,
            tenant: <strong>{tenantName}</strong>,
          }}
        />{" "}
        <a href={another}>
          <Say of="consent.notYou" />
        </a>{" "}
        {scopes.length === 0 ? null : <Say of="consent.will" />}
      </p>
      <ul>
        {scopesAt(scopes, null).map((scope) => (
          <li>
            <ScopeText scope={scope} />
          </li>
        ))}
      </ul>
      {resources.map((resource) => (
        <AtResource resource={resource} scopes={scopesAt(scopes, resource.id)} />
      ))}
      {device ? <DeviceFacts device={device} /> : null}
      <Links client={client} />
      <input type="hidden" name="ask" value={ask} />
      <div class="row">
        <button type="submit" class="button main" name="answer" value="allow">
          <Say of="consent.allow" />
        </button>
        <button type="submit" class="button plain" name="answer" value="deny">
          <Say of="consent.deny" />
        </button>
      </div>
    </PostForm>
  </NarrowPage>
);

const AtResource = ({ resource, scopes }: { resource: ResourceRow; scopes: readonly string[] }) =>
  scopes.length === 0 ? null : (
    <>
      <p class="break">
        <Say of="consent.at" values={{ api: <strong>{resource.name}</strong>, address: resource.identifier }} />
      </p>
      <ul>
        {resource.settings.scopes
          .filter(({ name }) => scopes.includes(name))
          .map(({ description }) => (
            <li>{description}</li>
          ))}
      </ul>
    </>
  );

const Links = ({ client: { settings } }: Pick<ConsentProps, "client">) => {
  const links = [
    ["consent.privacy", settings.privacyUrl],
    ["consent.terms", settings.termsUrl],
    ["consent.about", settings.homepageUrl],
  ] as const;
  const shown = links.flatMap(([text, url]) => (url === null ? [] : [{ text, url }]));
  if (shown.length === 0) return null;
  return (
    <p class="row">
      {shown.map(({ text, url }) => (
        <a href={url} rel="noreferrer">
          <Say of={text} />
        </a>
      ))}
    </p>
  );
};
