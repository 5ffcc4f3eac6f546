/** `/console/not-me`: the target of "this was not me" links. It needs no session. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { requires } from "../../base/http/operation";
import { recovery } from "../../identity/recovery/api";
import { describeRevert } from "../../identity/recovery/revert";
import { notMeBody } from "../../identity/recovery/schemas";
import { Say } from "../components/mount";
import { parse } from "../failure";
import { waysOnward } from "../http/onward";
import { page, type Refused, rerenderOnError } from "../http/page";
import { Pages } from "../http/pages";
import { NotMe, NotMeDone } from "./page";

const options = () => ({ title: <Say of="verify.notMe" /> });

const refusedPage = (c: Context<AppEnv>, token: string, refused: Refused) =>
  page(c, { ...options(), refused }, <NotMe token={token} kind={undefined} />);

export const notMePages = new Pages()
  .get("/", requires(recovery.reportNotMe), async (c) => {
    const token = c.req.query("token") ?? "";
    return rerenderOnError(
      c,
      async () => {
        const kind = await describeRevert(c.get("deps"), parse(notMeBody, { token }).token);
        return page(c, options(), <NotMe token={token} kind={kind} />);
      },
      (refused) => refusedPage(c, token, refused),
    );
  })
  .form("/", recovery.reportNotMe, {
    values: (sent) => sent.texts("token"),
    done: async (c, reverted) => page(c, options(), <NotMeDone reverted={reverted} ways={await waysOnward(c)} />),
    again: (c, refused, { token }) => refusedPage(c, token, refused),
  }).router;
