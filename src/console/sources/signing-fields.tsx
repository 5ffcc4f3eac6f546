/** The fields that say how calls are signed and what names their events, for providers that we do not know. */
import type { Texts } from "../../base/option";
import { fieldsOf } from "../../webhooks/sources/option-fields";
import type { SourceProvider } from "../../webhooks/sources/schemas";
import { OptionInputs } from "../components/option-input";

interface FieldsProps {
  provider: SourceProvider;
  texts: Texts;
}

/** Nothing for a provider whose signatures we know. */
export function SigningFields({ provider, texts }: FieldsProps) {
  const [header, ...others] = fieldsOf(provider).signature;
  return header ? (
    <fieldset class="field">
      <legend>How calls are signed</legend>
      <OptionInputs of={[header]} texts={texts} />
      <div class="pairs">
        <OptionInputs of={others} texts={texts} />
      </div>
    </fieldset>
  ) : null;
}

/** Nothing for a provider that always names its events alike. */
export function TypeFields({ provider, texts }: FieldsProps) {
  const { type } = fieldsOf(provider);
  return type.length > 0 ? (
    <fieldset class="field">
      <legend>What names the event</legend>
      <OptionInputs of={type} texts={texts} />
    </fieldset>
  ) : null;
}
