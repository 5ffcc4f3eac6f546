/** The forms of a source: a new one, its settings, and the confirmation to delete it. */
import type { Child } from "hono/jsx";
import { inputNames, type Texts } from "../../base/option";
import { fieldsOf } from "../../webhooks/sources/option-fields";
import type { SourceProvider } from "../../webhooks/sources/schemas";
import { FormButtons, PostForm } from "../components/buttons";
import { TextField } from "../components/fields";
import { NarrowPage } from "../components/narrow-page";
import { OptionInputs } from "../components/option-input";
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
      maxlength={1024}
      hint={secretHint}
    />
  );
};

/**
 * What most sources leave as it is, in closed sections, and how the calls are signed where the provider does not say.
 */
function Options({ provider, values: { options } }: FormProps) {
  const failure = useFailure();
  const { limits } = fieldsOf(provider);
  return (
    <>
      <SigningFields provider={provider} texts={options} />
      <TypeFields provider={provider} texts={options} />
      <details class="section" open={inputNames(limits).some((name) => failure?.fields[name])}>
        <summary>
          Types and limits <span class="small muted">{summaryOf(options)}</span>
        </summary>
        <OptionInputs of={limits} texts={options} />
      </details>
    </>
  );
}

function summaryOf({ typePrefix, allow, requestsPerMinute, maxBytes }: Texts): string {
  const set = [
    typePrefix && `types begin with ${typePrefix}`,
    allow && "only some types",
    requestsPerMinute && `${requestsPerMinute} calls a minute`,
    maxBytes && `${maxBytes} bytes`,
  ].filter(Boolean);
  return set.length === 0 ? "default" : set.join(", ");
}
