/** `/account/device`: somebody lets a device sign in, by the code that it shows (RFC 8628 section 3.3). */
import type { Context } from "hono";
import { AppError } from "../../../base/errors";
import type { AppEnv } from "../../../base/http/env";
import { performing, requires } from "../../../base/http/operation";
import { consume } from "../../../base/http/rate-limit";
import { consumeByAddress } from "../../../base/limits/by-address";
import { refuseOverLimit } from "../../../base/limits/limiter";
import { sealRequest } from "../../../oauth/authorization/authorize";
import { builtInClient } from "../../../oauth/clients/built-in";
import { type ClientRow, findClient } from "../../../oauth/clients/store";
import { readUserCode } from "../../../oauth/devices/device";
import type { DeviceAsk } from "../../../oauth/devices/durable-object";
import { findDevice } from "../../../oauth/devices/requests";
import { GetForm, PostForm, SubmitButton } from "../../components/buttons";
import { TextField } from "../../components/fields";
import { Say, useTexts } from "../../components/mount";
import { NarrowPage } from "../../components/narrow-page";
import { VISIT } from "../../http/app-visit";
import { readForm } from "../../http/form";
import { goOn } from "../../http/go-on";
import { page, type Refused, rerenderOnError } from "../../http/page";
import { Pages } from "../../http/pages";
import { goingOn } from "../../http/paths";
import { findCurrentUser } from "../../http/session";
import { DeviceFacts } from "./facts";

const EnterCode = ({ typed }: { typed: string }) => (
  <NarrowPage title={<Say of="device.title" />}>
    <GetForm action="/device" class="card">
      <TextField name="user_code" label={useTexts().say("device.code")} value={typed} required autocomplete="off" />
      <SubmitButton>
        <Say of="consent.continue" />
      </SubmitButton>
    </GetForm>
  </NarrowPage>
);

const Asks = ({ device, client }: AskedFor) => (
  <NarrowPage title={<Say of="choose.signInTo" values={{ app: client.name }} />}>
    <PostForm action="/device" class="card">
      <DeviceFacts device={device} />
      <input type="hidden" name="user_code" value={device.userCode} />
      <SubmitButton>
        <Say of="consent.continue" />
      </SubmitButton>
    </PostForm>
  </NarrowPage>
);

interface AskedFor {
  device: DeviceAsk;
  client: ClientRow;
}

/** Who asks with a code. Counted before it is looked up. Throws INVALID_CODE, RATE_LIMITED. */
async function askedWith(c: Context<AppEnv>, typed: string): Promise<AskedFor> {
  const deps = c.get("deps");
  refuseOverLimit(await consumeByAddress(deps, "deviceCode", c.get("clientIp")));
  const user = await findCurrentUser(c);
  if (user) await consume(c, "deviceCodeOfPerson", user.principal.userId);
  const userCode = readUserCode(typed);
  const device = userCode === null ? null : await findDevice(deps, userCode);
  const client = device && ((await builtInClient(deps, device.clientId)) ?? (await findClient(deps, device.clientId)));
  if (!device || !client?.enabled) throw new AppError("INVALID_CODE");
  return { device, client };
}

const enterPage = (c: Context<AppEnv>, typed: string, refused?: Refused) =>
  page(c, { title: <Say of="device.title" />, refused }, <EnterCode typed={typed} />);

/** A link with the code is no more than the code: it leads to a page that asks. */
async function devicePage(c: Context<AppEnv>) {
  const typed = c.req.query("user_code") ?? "";
  if (typed === "") return enterPage(c, "");
  return rerenderOnError(
    c,
    async () => page(c, { title: <Say of="device.title" /> }, <Asks {...(await askedWith(c, typed))} />),
    (refused) => enterPage(c, typed, refused),
  );
}

async function goOnWith(c: Context<AppEnv>) {
  const typed = (await readForm(c)).text("user_code");
  return rerenderOnError(
    c,
    async () => {
      const { device } = await askedWith(c, typed);
      const { userCode, id, kind, place, expiresAt, params } = device;
      const asking = { userCode, id, kind, place, expiresAt };
      const deps = c.get("deps");
      const asked = { params: new URLSearchParams(params), at: deps.now(), device: asking };
      return goOn(c, goingOn(await sealRequest(deps, asked)));
    },
    (refused) => enterPage(c, typed, refused),
  );
}

export const devicePages = new Pages()
  .get("/", requires(VISIT), devicePage)
  .post("/", requires(VISIT), performing(goOnWith, {})).router;
