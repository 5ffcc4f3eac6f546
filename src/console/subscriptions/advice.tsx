/** What helps against a failure, by its cause. */
import type { TextKey } from "../../base/texts/en";
import { CONNECTION_FAILED, CONNECTION_LOST, GONE, TIMED_OUT } from "../../webhooks/plane/reasons";
import { LinkButton } from "../components/buttons";
import { Say } from "../components/mount";

type Remedy = "change URL" | "change headers" | "wait" | "view";

interface Advice {
  remedy: Remedy;
  text: TextKey;
}

const WRONG_URL: Advice = { remedy: "change URL", text: "advice.wrongUrl" };

const BY_ERROR: Readonly<Record<string, Advice>> = {
  [CONNECTION_FAILED]: { remedy: "change URL", text: "advice.host" },
  [CONNECTION_LOST]: { remedy: "view", text: "advice.lost" },
  [TIMED_OUT]: { remedy: "view", text: "advice.slow" },
  [GONE]: { remedy: "change URL", text: "advice.gone" },
  "status 404": WRONG_URL,
  "status 405": WRONG_URL,
  "status 410": { remedy: "change URL", text: "advice.gone" },
  "status 401": { remedy: "change headers", text: "advice.credential" },
  "status 403": { remedy: "change headers", text: "advice.refuses" },
  "status 429": { remedy: "wait", text: "advice.fewer" },
};

/** What to do about an attempt that failed with `error`. */
export function adviceOn(error: string | null): Advice {
  if (error?.startsWith("blocked address: ")) return { remedy: "change URL", text: "advice.blocked" };
  if (/^status 3\d\d$/.test(error ?? "")) {
    return { remedy: "change URL", text: "advice.redirects" };
  }
  return BY_ERROR[error ?? ""] ?? { remedy: "view", text: "advice.answer" };
}

interface RemedyProps {
  id: string;
  /** The last failed attempt. */
  attemptId: string | null;
  error: string | null;
  mayUpdate: boolean;
}

/** The button that fits the cause. */
export function Remedies({ id, attemptId, error, mayUpdate }: RemedyProps) {
  const { remedy } = adviceOn(error);
  const here = `/webhooks/${id}`;
  if (mayUpdate && remedy === "change URL")
    return (
      <LinkButton to={`${here}/edit#url`}>
        <Say of="portal.changeUrl" />
      </LinkButton>
    );
  if (mayUpdate && remedy === "change headers") {
    return (
      <LinkButton to={`${here}/edit#headers`}>
        <Say of="portal.changeHeaders" />
      </LinkButton>
    );
  }
  if (mayUpdate && remedy === "wait")
    return (
      <LinkButton to={`${here}/edit#rateLimit`}>
        <Say of="portal.setLimit" />
      </LinkButton>
    );
  return attemptId === null ? null : (
    <LinkButton to={`${here}/attempts/${attemptId}`}>
      <Say of="portal.viewError" />
    </LinkButton>
  );
}
