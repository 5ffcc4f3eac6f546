/** `/console/not-me`: the target of "this was not me" links. It needs no session. */
import { type Context, Hono } from "hono";
import { describeRevert, type MailedLinkKind, reportNotMe } from "../../identity/recovery/revert";
import { notMeBody } from "../../identity/recovery/schemas";
import type { AppEnv } from "../../platform/http/env";
import { originOf } from "../../platform/http/origin";
import { limit } from "../../platform/http/rate-limit";
import { type Failure, parse } from "../failure";
import { readForm } from "../http/form";
import { page, rerenderOnError } from "../http/page";
import { NotMe, NotMeDone } from "./page";

const OPTIONS = { title: "This was not me", section: null };

const notMePage = (
  c: Context<AppEnv>,
  view: { token: string; kind: MailedLinkKind | undefined; failure?: Failure },
  status = 200,
) => page(c, { ...OPTIONS, status }, <NotMe {...view} />);

export const notMePages = new Hono<AppEnv>()
  .get("/", limit("verifyEmail", "IP address"), async (c) => {
    const token = c.req.query("token") ?? "";
    return rerenderOnError(
      c,
      async () =>
        notMePage(c, {
          token,
          kind: await describeRevert(c.get("deps"), parse(notMeBody, { token }).token),
        }),
      (failure, status) => notMePage(c, { token, kind: undefined, failure }, status),
    );
  })
  .post("/", limit("verifyEmail", "IP address"), async (c) => {
    const token = (await readForm(c)).text("token");
    return rerenderOnError(
      c,
      async () => {
        const message = await reportNotMe(c.get("deps"), parse(notMeBody, { token }).token, originOf(c));
        return page(c, OPTIONS, <NotMeDone message={message} />);
      },
      (failure, status) => notMePage(c, { token, kind: undefined, failure }, status),
    );
  });
