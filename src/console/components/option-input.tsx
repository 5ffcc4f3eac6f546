/** The input of an option, as its description says. */
import type { Deployment, Input, OptionField, Texts } from "../../base/option";
import { Select, TextArea, TextField } from "./fields";
import { useOptionTexts } from "./mount";

interface OptionInputProps {
  input: Input;
  texts: Texts;
  /** Needed where the choices depend on it. */
  deployment?: Deployment;
}

export function OptionInput({ input, texts, deployment = { autoDisableHours: null } }: OptionInputProps) {
  const { name, label, hint, kind, placeholder, maxlength, choices } = input;
  const said = useOptionTexts();
  const shared = { name, label: said(label), value: texts[name] ?? "", ...(hint ? { hint: said(hint) } : {}) };
  if (choices) {
    return <Select {...shared} options={choices(deployment).map(([value, text]) => [value, said(text)] as const)} />;
  }
  if (kind === "json") return <TextArea {...shared} rows={6} class="mono" />;
  if (kind === "lines") return <TextArea {...shared} rows={2} class="mono" />;
  if (kind === "hidden") return <TextArea {...shared} rows={2} />;
  const typed = {
    ...(kind === "url" ? { type: kind } : {}),
    ...(placeholder ? { placeholder: said(placeholder) } : {}),
    ...(maxlength ? { maxlength } : {}),
    ...(kind === "number" ? { inputmode: "numeric" as const } : {}),
  };
  return <TextField {...shared} {...typed} />;
}

/** The inputs of several options. */
export const OptionInputs = ({ of, texts }: { of: readonly { field: OptionField }[]; texts: Texts }) => (
  <>{of.flatMap(({ field }) => field.inputs.map((input) => <OptionInput input={input} texts={texts} />))}</>
);
