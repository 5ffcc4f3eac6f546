/** `/console/remove-two-factor`: the target of the link that removes a lost second factor. It needs no session. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { requires } from "../../base/http/operation";
import { recovery } from "../../identity/recovery/api";
import { factorRemoval } from "../../identity/recovery/schemas";
import { checkRemoval } from "../../identity/recovery/two-factor-removal";
import { Say } from "../components/mount";
import { parse } from "../failure";
import { waysOnward } from "../http/onward";
import { page, type Refused, rerenderOnError } from "../http/page";
import { Pages } from "../http/pages";
import { RemoveTwoFactor, TwoFactorRemoved } from "./page";

const options = () => ({ title: <Say of="lostFactor.title" /> });

const refusedPage = (c: Context<AppEnv>, token: string, refused: Refused) =>
  page(c, { ...options(), refused }, <RemoveTwoFactor token={token} isValid={false} />);

export const removeTwoFactorPages = new Pages()
  .get("/", requires(recovery.removeLostFactor), async (c) => {
    const token = c.req.query("token") ?? "";
    return rerenderOnError(
      c,
      async () => {
        await checkRemoval(c.get("deps"), parse(factorRemoval, { token }).token);
        return page(c, options(), <RemoveTwoFactor token={token} isValid={true} />);
      },
      (refused) => refusedPage(c, token, refused),
    );
  })
  .form("/", recovery.removeLostFactor, {
    values: (sent) => sent.texts("token"),
    done: async (c) => page(c, options(), <TwoFactorRemoved ways={await waysOnward(c)} />),
    again: (c, refused, { token }) => refusedPage(c, token, refused),
  }).router;
