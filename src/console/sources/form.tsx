/** The forms of a source: a new one, its settings, and the confirmation to delete it. */
import type { Child } from "hono/jsx";
import type { SourceProvider } from "../../webhooks/sources/schemas";
import { FormButtons, PostForm } from "../components/buttons";
import { TextArea, TextField } from "../components/fields";
import { NarrowPage } from "../components/narrow-page";
import { useFailure } from "../components/shown-failure";
import { HERE } from "./list";
import { RECIPES } from "./recipes";
import { SigningFields, TypeFields } from "./signing-fields";
import type { SourceValues } from "./values";

interface FormProps {
  provider: SourceProvider;
  values: SourceValues;
}

export const NewSourcePage = ({ provider, values }: FormProps) => (
  <NarrowPage
    title={`New source: ${RECIPES[provider].title}`}
    trail={{ [HERE]: "Sources", [`${HERE}/new`]: "New source" }}
  >
    <PostForm action={`${HERE}/new/${provider}`} class="card">
      <Name value={values.name} />
      <Secret provider={provider} value={values.secret} />
      <Options provider={provider} values={values} />
      <Buttons back={HERE}>Create source</Buttons>
    </PostForm>
  </NarrowPage>
);

interface EditProps extends FormProps {
  id: string;
  /** The name that the source has now. */
  savedName: string;
}

export const EditSource = ({ id, savedName, provider, values }: EditProps) => (
  <NarrowPage title="Edit source" trail={{ [HERE]: "Sources", [`${HERE}/${id}`]: savedName }}>
    <PostForm action={`${HERE}/${id}`} class="card">
      <Name value={values.name} />
      <Options provider={provider} values={values} />
      <Buttons back={`${HERE}/${id}`}>Save changes</Buttons>
    </PostForm>
  </NarrowPage>
);

const Buttons = ({ back, children }: { back: string; children: Child }) => (
  <FormButtons cancel={back}>{children}</FormButtons>
);

const Name = ({ value }: { value: string }) => (
  <TextField name="name" label="Name" value={value} required maxlength={200} />
);

const Secret = ({ provider, value }: { provider: SourceProvider; value: string }) => {
  const { secret, secretHint } = RECIPES[provider];
  return (
    <TextField
      name="secrets"
      label="Signing secret"
      value={value}
      autocomplete="off"
      required={secret === "theirs"}
      maxlength={512}
      hint={secretHint}
    />
  );
};

/**
 * What most sources leave as it is, in closed sections, and how the calls are signed where the provider does not say.
 */
function Options({ provider, values }: FormProps) {
  const failure = useFailure();
  const isOpen = ["typePrefix", "allow", "requestsPerMinute", "maxBytes"].some((name) => failure?.fields[name]);
  return (
    <>
      {provider === "hmac" && <SigningFields values={values} />}
      {(provider === "hmac" || provider === "standard") && <TypeFields provider={provider} values={values} />}
      <details class="section" open={isOpen}>
        <summary>
          Types and limits <span class="small muted">{summaryOf(values)}</span>
        </summary>
        <LimitFields values={values} />
      </details>
    </>
  );
}

function summaryOf({ typePrefix, allow, requestsPerMinute, maxBytes }: SourceValues): string {
  const set = [
    typePrefix && `types begin with ${typePrefix}`,
    allow && "only some types",
    requestsPerMinute && `${requestsPerMinute} calls a minute`,
    maxBytes && `${maxBytes} bytes`,
  ].filter((text) => text !== "");
  return set.length === 0 ? "default" : set.join(", ");
}

const LimitFields = ({ values }: Omit<FormProps, "provider">) => (
  <>
    <TextField
      name="typePrefix"
      label="Prefix of the event types"
      value={values.typePrefix}
      maxlength={64}
      hint="Stands before each type. Empty: the provider and a dot, or nothing for Standard Webhooks and others."
    />
    <TextArea
      name="allow"
      label="Only these types"
      value={values.allow}
      rows={2}
      class="mono"
      hint="The provider's names, one a line. An asterisk at the end stands for anything: invoice.* Empty: all types."
    />
    <TextField
      name="requestsPerMinute"
      label="Calls in 60 seconds"
      value={values.requestsPerMinute}
      inputmode="numeric"
      placeholder="30"
      hint="More get 429. Most providers send those again, but GitHub does not."
    />
    <TextField
      name="maxBytes"
      label="Largest body in bytes"
      value={values.maxBytes}
      inputmode="numeric"
      placeholder="262144"
    />
  </>
);
