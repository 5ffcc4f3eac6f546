/** What helps against a failure, by its cause. */
import { CONNECTION_FAILED, CONNECTION_LOST, GONE, TIMED_OUT } from "../../webhooks/plane/reasons";
import { LinkButton } from "../components/buttons";

type Remedy = "change URL" | "change headers" | "wait" | "view";

interface Advice {
  remedy: Remedy;
  text: string;
}

const WRONG_URL: Advice = { remedy: "change URL", text: "Its URL seems to be wrong. Check the path." };

const BY_ERROR: Readonly<Record<string, Advice>> = {
  [CONNECTION_FAILED]: { remedy: "change URL", text: "Check the host in its URL, and the certificate." },
  [CONNECTION_LOST]: { remedy: "view", text: "Nothing answers there, or not in HTTP. Check that the receiver runs." },
  [TIMED_OUT]: { remedy: "view", text: "The receiver should answer first and work later." },
  [GONE]: { remedy: "change URL", text: "Nothing is at its URL any more." },
  "status 404": WRONG_URL,
  "status 405": WRONG_URL,
  "status 410": { remedy: "change URL", text: "Nothing is at its URL any more." },
  "status 401": { remedy: "change headers", text: "The receiver wants a credential. You can send one in a header." },
  "status 403": { remedy: "change headers", text: "The receiver refuses us. It may want a credential in a header." },
  "status 429": { remedy: "wait", text: "The receiver wants fewer requests. A limit prevents this." },
};

/** What to do about an attempt that failed with `error`. */
export function adviceOn(error: string | null): Advice {
  if (error?.startsWith("blocked address: ")) return { remedy: "change URL", text: "Its URL may not be called." };
  if (/^status 3\d\d$/.test(error ?? "")) {
    return { remedy: "change URL", text: "It redirects. Enter the address that it redirects to." };
  }
  return BY_ERROR[error ?? ""] ?? { remedy: "view", text: "The receiver's answer says more." };
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
  if (mayUpdate && remedy === "change URL") return <LinkButton to={`${here}/edit#url`}>Change the URL</LinkButton>;
  if (mayUpdate && remedy === "change headers") {
    return <LinkButton to={`${here}/edit#headers`}>Change the headers</LinkButton>;
  }
  if (mayUpdate && remedy === "wait") return <LinkButton to={`${here}/edit#rateLimit`}>Set a limit</LinkButton>;
  return attemptId === null ? null : <LinkButton to={`${here}/attempts/${attemptId}`}>View the error</LinkButton>;
}
