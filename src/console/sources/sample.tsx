/** Tries a call that was copied from the provider: whether its signature is right, and which event it would become. */
import type { SourceSampleResult } from "../../webhooks/sources/schemas";
import { PostForm, SubmitButton } from "../components/buttons";
import { Banner } from "../components/display";
import { TextArea } from "../components/fields";
import type { Form } from "../http/form";
import { REASONS } from "./errors";
import { HERE } from "./list";

/** A call as it was pasted. */
export interface SampleTexts {
  /** One header a line. */
  headers: string;
  body: string;
}

export interface SampleView {
  texts: SampleTexts;
  result?: SourceSampleResult | undefined;
}

export const EMPTY_SAMPLE: SampleTexts = { headers: "", body: "" };

/** Forms send the lines of a text with CRLF. Providers sign LF, if a body has lines at all. */
export const readSample = (form: Form): SampleTexts => ({
  headers: form.text("headers"),
  body: form.text("body").replaceAll("\r\n", "\n"),
});

const REQUEST_LINE = /^[A-Z]+ \S+ HTTP\/[\d.]+$/;

/** The body of the API. A line without a colon is sent as a name, which the schema refuses. */
export function sampleOf({ headers, body }: SampleTexts) {
  const lines = headers
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !REQUEST_LINE.test(line));
  const pairs = lines.map((line) => {
    const [, name = line, value = ""] = /^([^:]+):(.*)$/.exec(line) ?? [];
    return [name.trim(), value.trim()] as const;
  });
  return { headers: Object.fromEntries(pairs), body };
}

interface TrySampleProps extends SampleView {
  id: string;
}

export const TrySample = ({ id, texts, result }: TrySampleProps) => (
  <section class="card" id="sample" aria-labelledby="try">
    <h2 id="try">Paste a sample</h2>
    <p class="muted">
      Copy a call from the provider's list of deliveries to see what would become of it. Nothing is published.
    </p>
    {result && <Verdict result={result} />}
    <PostForm action={`${HERE}/${id}/test#sample`}>
      <div class="pairs">
        <TextArea
          name="headers"
          label="Headers"
          value={texts.headers}
          rows={8}
          class="mono"
          hint="One a line, such as X-Signature: 0123."
        />
        <TextArea
          name="body"
          label="Body"
          value={texts.body}
          rows={8}
          class="mono"
          hint="Exactly as it was sent: the signature is about each of its characters."
        />
      </div>
      <SubmitButton kind="plain">Try it</SubmitButton>
    </PostForm>
  </section>
);

function Verdict({ result: { verified, reason, type, relayed } }: { result: SourceSampleResult }) {
  if (reason !== undefined) {
    const [title, advice] = REASONS[reason];
    return (
      <Banner kind="bad">
        {verified ? "The signature is right, but the call would be refused." : "The call would be refused."}{" "}
        <strong>{title}.</strong> {advice}
      </Banner>
    );
  }
  if (relayed) {
    return (
      <Banner kind="ok">
        The signature is right. It would become an event of the type <strong>{type}</strong>.
      </Banner>
    );
  }
  return (
    <Banner kind="note">
      The signature is right, but it would not become an event: it is a test of the connection, or its type
      {type === undefined ? "" : `, ${type},`} is not relayed.
    </Banner>
  );
}
