/** `/console/operator/imports`: the imports of people that the product makes with platform keys. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { pathParam, serve } from "../../base/http/operation";
import { importsForOperators } from "../../service/imports/api";
import { importOf } from "../../service/imports/imports";
import type { OperatorChange } from "../changes/changes";
import { type ChangeSubject, changePages } from "../changes/routes";
import { fragment, page } from "../http/page";
import { Pages } from "../http/pages";
import { ImportDetail, Progress } from "./detail";
import { HERE, ImportRows, Imports, titleOf } from "./list";

const SECTION = "operator";

const STOP: OperatorChange = {
  path: "/:id/stop",
  asks: "Stop the import",
  effects: [
    "People who are imported already stay. The others are not imported, and what was sent of them is removed.",
    "It cannot be started again.",
  ],
  button: "Stop the import",
  asksForReason: false,
  done: "importStopped",
  operation: importsForOperators.stop,
};

const IMPORT: ChangeSubject = {
  async read(c) {
    const shown = await importOf(c.get("deps"), pathParam(c, "id"));
    return { name: titleOf(shown), counts: [`${(shown.rows - shown.done).toLocaleString("en")} people who wait`] };
  },
  back: (c) => `${HERE}/${encodeURIComponent(pathParam(c, "id"))}`,
};

const listOf = (
  c: Context<AppEnv>,
  { data, nextCursor }: Awaited<ReturnType<typeof importsForOperators.list.verb>>,
) => ({
  imports: data,
  nextCursor,
  cursor: c.req.query("cursor"),
});

export const importPages = new Pages()
  .get(
    "/",
    ...serve(
      importsForOperators.list,
      (c, found) => page(c, { title: "Imports", section: SECTION }, <Imports {...listOf(c, found)} />),
      "query",
    ),
  )
  .get(
    "/list",
    ...serve(importsForOperators.list, (c, found) => fragment(c, <ImportRows {...listOf(c, found)} />), "query"),
  )
  .get(
    "/:id",
    ...serve(
      importsForOperators.report,
      (c, shown, { outcome = "" }) =>
        page(c, { title: titleOf(shown.import), section: SECTION }, <ImportDetail {...shown} outcome={outcome} />),
      "query",
    ),
  )
  .get("/:id/progress", ...serve(importsForOperators.get, (c, shown) => fragment(c, <Progress import={shown} />)))
  .route("/", changePages([STOP], IMPORT)).router;
