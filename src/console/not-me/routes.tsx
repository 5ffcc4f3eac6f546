/** `/console/not-me`: the target of "this was not me" links. It needs no session. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { requires } from "../../base/http/operation";
import { recovery } from "../../identity/recovery/api";
import { describeRevert } from "../../identity/recovery/revert";
import { notMeBody } from "../../identity/recovery/schemas";
import { parse } from "../failure";
import { page, type Refused, rerenderOnError } from "../http/page";
import { Pages } from "../http/pages";
import { NotMe, NotMeDone } from "./page";

const OPTIONS = { title: "This was not me" };

const refusedPage = (c: Context<AppEnv>, token: string, refused: Refused) =>
  page(c, { ...OPTIONS, refused }, <NotMe token={token} kind={undefined} />);

export const notMePages = new Pages()
  .get("/", requires(recovery.reportNotMe), async (c) => {
    const token = c.req.query("token") ?? "";
    return rerenderOnError(
      c,
      async () => {
        const kind = await describeRevert(c.get("deps"), parse(notMeBody, { token }).token);
        return page(c, OPTIONS, <NotMe token={token} kind={kind} />);
      },
      (refused) => refusedPage(c, token, refused),
    );
  })
  .form("/", recovery.reportNotMe, {
    values: (sent) => sent.texts("token"),
    done: (c, message) => page(c, OPTIONS, <NotMeDone message={message} />),
    again: (c, refused, { token }) => refusedPage(c, token, refused),
  }).router;
