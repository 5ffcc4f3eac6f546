/** `/console/feeds`: the lists of events that programs pull. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { pathParam, requires } from "../../base/http/operation";
import { feeds } from "../../webhooks/feeds/api";
import { feedOf, feedsOf, shownFeed } from "../../webhooks/feeds/changes";
import { consumersOf } from "../../webhooks/feeds/consumers";
import { ownFeed } from "../../webhooks/feeds/poll";
import { consumerView } from "../../webhooks/feeds/view";
import { ConfirmationPage } from "../components/confirmation-page";
import { flash, page, type Refused } from "../http/page";
import { Pages } from "../http/pages";
import { FeedDetail } from "./detail";
import { type FeedValues, inputOf, NEW_FEED, readValues } from "./fields";
import { FeedList } from "./list";

const SECTION = "feeds";
const READ = { permission: "webhook.read" } as const;

async function listPage(c: Context<AppEnv>, values: FeedValues, refused?: Refused) {
  const principal = c.get("principal");
  const view = { feeds: await feedsOf(c.get("deps"), principal), values };
  return page(
    c,
    { title: "Feeds", section: SECTION, refused },
    <FeedList permissions={principal.permissions} {...view} />,
  );
}

interface DetailView {
  id: string;
  values?: FeedValues;
  refused?: Refused;
  token?: string;
}

async function detailPage(c: Context<AppEnv>, { id, values, refused, token }: DetailView) {
  if (refused?.error.code === "NOT_FOUND") throw refused.error;
  const [deps, principal] = [c.get("deps"), c.get("principal")];
  const feed = await shownFeed(deps, principal, id);
  const consumers = await consumersOf(deps, ownFeed(principal, id));
  const view = {
    feed,
    consumers: consumers.map((consumer) => consumerView(id, consumer)),
    values: values ?? { name: feed.name, events: feed.events.join("\n") },
    permissions: principal.permissions,
    token,
  };
  const status = token === undefined ? 200 : 201;
  return page(c, { title: feed.name, section: SECTION, refused, status }, <FeedDetail {...view} />);
}

/** Shows the feed again with the error of a form that is on its page. */
const again = (c: Context<AppEnv>, refused: Refused) => detailPage(c, { id: pathParam(c, "id"), refused });

const moved = (to: "oldest" | "now") => ({ input: () => ({ to }), done: flash("/feeds/:id", "consumerMoved") });

export const feedPages = new Pages()
  .get("/", requires(READ), (c) => listPage(c, NEW_FEED))
  .get("/:id", requires(READ), (c) => detailPage(c, { id: pathParam(c, "id") }))
  .get("/:id/delete", requires({ permission: "webhook.delete" }), async (c) => {
    const { id, name } = await feedOf(c.get("deps"), c.get("principal"), pathParam(c, "id"));
    return page(
      c,
      { title: "Delete feed", section: SECTION },
      <ConfirmationPage of="feed" name={name} action={`/feeds/${id}/delete`} cancel={`/feeds/${id}`} />,
    );
  })
  .form("/", feeds.create, {
    values: readValues,
    input: inputOf,
    done: (c, { row, token }) => detailPage(c, { id: row.id, token }),
    again: (c, refused, values) => listPage(c, values, refused),
  })
  .form("/:id", feeds.change, {
    values: readValues,
    input: inputOf,
    done: flash("/feeds/:id", "changed"),
    again: (c, refused, values) => detailPage(c, { id: pathParam(c, "id"), values, refused }),
  })
  .form("/:id/token", feeds.rotateToken, {
    values: (sent) => ({ overlapSeconds: Number(sent.text("overlapSeconds")) }),
    done: (c, { row, token }) => detailPage(c, { id: row.id, token }),
    again,
  })
  .form("/:id/consumers/:name/oldest", feeds.seek, moved("oldest"))
  .form("/:id/consumers/:name/now", feeds.seek, moved("now"))
  .form("/:id/consumers/:name/forget", feeds.forget, {
    done: flash("/feeds/:id", "consumerForgotten"),
  })
  .form("/:id/delete", feeds.delete, { done: flash("/feeds", "feedDeleted") }).router;
