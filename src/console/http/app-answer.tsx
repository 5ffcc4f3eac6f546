/** How an app gets its answer: by a redirect, or by a form that the browser sends (OAuth Form Post Response Mode). */
import type { Context } from "hono";
import { raw } from "hono/html";
import { AppError } from "../../base/errors";
import type { AppEnv } from "../../base/http/env";
import { type AppAnswer, addressOf } from "../../oauth/authorization/answer";
import { needsClick } from "../../oauth/clients/needs-click";
import { isOnDevice } from "../../oauth/clients/redirect-urls";
import type { ClientRow } from "../../oauth/clients/store";
import type { AskingDevice } from "../../oauth/devices/device";
import { answerDevice } from "../../oauth/devices/requests";
import { Say } from "../components/mount";
import { NarrowPage } from "../components/narrow-page";
import { noteApp } from "./app-of-page";
import { goOn } from "./go-on";
import { page } from "./page";

/**
 * Keeps the answer for a device, which asks for it, and says how it went.
 * Throws VALIDATION_FAILED if its request has ended meanwhile.
 */
async function toDevice(c: Context<AppEnv>, client: ClientRow, device: AskingDevice, { fields }: AppAnswer) {
  if (!(await answerDevice(c.get("deps"), device, fields))) {
    throw new AppError("VALIDATION_FAILED", { message: "The code has expired, or was answered before." });
  }
  const isAllowed = fields["code"] !== undefined;
  const status = isAllowed || fields["error"] === "access_denied" ? 200 : 400;
  return page(
    c,
    { title: <Say of="device.title" />, status },
    <NarrowPage title={<Say of={isAllowed ? "device.done" : "device.refused"} values={{ app: client.name }} />}>
      <p>
        <Say of="device.goBack" />
      </p>
    </NarrowPage>,
  );
}

/** Sends the answer, after a click where the app could be somebody else. */
export function toApp(c: Context<AppEnv>, client: ClientRow, answer: AppAnswer): Response | Promise<Response> {
  if (answer.device) return toDevice(c, client, answer.device, answer);
  const isClicked = needsClick(client, answer.redirectUri);
  if (answer.responseMode === "form_post") return formPage(c, client, answer, isClicked);
  if (!isClicked) return c.redirect(addressOf(answer), 303);
  return page(c, { title: <Continue /> }, <ByClick client={client} address={addressOf(answer)} />);
}

/** Sends the answer after a form of ours, which was the click. */
export function afterForm(c: Context<AppEnv>, client: ClientRow, answer: AppAnswer): Promise<Response> {
  if (answer.device) return toDevice(c, client, answer.device, answer);
  return answer.responseMode === "form_post" ? formPage(c, client, answer, false) : goOn(c, addressOf(answer));
}

/** The form leads to the app, whose answer may redirect on, so the page has no policy for forms. */
function formPage(c: Context<AppEnv>, client: ClientRow, { redirectUri, fields }: AppAnswer, waits: boolean) {
  noteApp(c, client);
  c.set("pageUses", { ...c.get("pageUses"), anyFormAction: true });
  return page(
    c,
    { title: <Continue /> },
    <NarrowPage title={<Say of="consent.continueTo" values={{ app: client.host ?? client.name }} />}>
      <form method="post" action={redirectUri} class="card">
        <p class="break">{waits ? <Warning redirectUri={redirectUri} /> : <Say of="consent.takenBack" />}</p>
        {Object.entries(fields).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <div class="row">
          <button type="submit" class="button main">
            <Continue />
          </button>
        </div>
      </form>
      {waits ? null : <script nonce={c.get("secureHeadersNonce")}>{raw(SEND)}</script>}
    </NarrowPage>,
  );
}

const SEND = 'document.querySelector("main form, form").submit()';
const Continue = () => <Say of="consent.continue" />;

/** Names the program of a device, or the host that the answer goes to. */
const Warning = ({ redirectUri }: { redirectUri: string }) =>
  /^https?:/.test(redirectUri) && isOnDevice(redirectUri) ? (
    <Say of="consent.onDevice" />
  ) : (
    <Say of="consent.leadsTo" values={{ host: <strong>{placeOf(redirectUri)}</strong> }} />
  );

/** The host, or the scheme of a program. */
function placeOf(redirectUri: string): string {
  const { protocol = "", host = "" } = URL.parse(redirectUri) ?? {};
  return host !== "" && /^https?:$/.test(protocol) ? host : protocol;
}

const ByClick = ({ client, address }: { client: ClientRow; address: string }) => (
  <NarrowPage title={<Say of="consent.continueTo" values={{ app: client.host ?? client.name }} />}>
    <div class="card">
      <p class="break">
        <Warning redirectUri={address} />
      </p>
      <div class="row">
        <a class="button main" href={address}>
          <Continue />
        </a>
      </div>
    </div>
  </NarrowPage>
);
