/** Form fields. The error of a refused form is shown beside the field that it is about. */
import type { Child } from "hono/jsx";
import { Worded } from "./mount";
import { useFailure } from "./shown-failure";

interface FieldProps {
  name: string;
  label: string;
  hint?: string;
  /** Hides the label from view; screen readers still read it. */
  hiddenLabel?: boolean;
}

/** A label, a control, a hint and an error, linked for screen readers. */
function Field({ name, label, hiddenLabel, hint, control }: FieldProps & { control: (props: object) => Child }) {
  const error = useFailure()?.fields[name];
  const descriptionIds = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(" ");
  const aria = {
    ...(descriptionIds ? { "aria-describedby": descriptionIds } : {}),
    // The browser scrolls to the first of them, also without scripts.
    ...(error ? { "aria-invalid": "true", autofocus: true } : {}),
  };
  return (
    <div class="field">
      <label for={name} class={hiddenLabel ? "visually-hidden" : undefined}>
        {label}
      </label>
      {control({ id: name, name, ...aria })}
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          <Worded>{hint}</Worded>
        </p>
      )}
      {error && (
        <p class="error" id={`${name}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

export interface TextFieldProps extends Omit<FieldProps, "hiddenLabel"> {
  type?: "text" | "date" | "email" | "password" | "search" | "url";
  value?: string;
  autocomplete?: string;
  inputmode?: "numeric";
  required?: boolean;
  minlength?: number;
  maxlength?: number;
  placeholder?: string;
  autofocus?: boolean;
}

export function TextField({ name, label, hint, type = "text", ...rest }: TextFieldProps) {
  const shared = { name, label, ...(hint ? { hint } : {}) };
  return <Field {...shared} control={(props) => <input {...props} type={type} {...rest} />} />;
}

interface TextAreaProps extends FieldProps {
  value: string;
  rows: number;
  class?: string;
}

export function TextArea({ value, rows, class: className, ...shared }: TextAreaProps) {
  return (
    <Field
      {...shared}
      control={(props) => (
        <textarea {...props} rows={rows} class={className} spellcheck={false}>
          {value}
        </textarea>
      )}
    />
  );
}

export interface SelectProps extends FieldProps {
  value: string;
  options: readonly (readonly [value: string, label: string])[];
}

export function Select({ value, options, ...shared }: SelectProps) {
  return (
    <Field
      {...shared}
      control={(props) => (
        <select {...props}>
          {options.map(([option, label]) => (
            <option value={option} selected={option === value}>
              {label}
            </option>
          ))}
        </select>
      )}
    />
  );
}

interface CheckboxGroupProps {
  name: string;
  legend: string;
  values: readonly string[];
  options: readonly (readonly [value: string, description: string])[];
}

export function CheckboxGroup({ name, legend, values, options }: CheckboxGroupProps) {
  const error = useFailure()?.fields[name];
  return (
    <fieldset class="field">
      <legend>{legend}</legend>
      {options.length === 0 && <p class="hint">Your role has no permissions to choose from.</p>}
      {options.map(([value, description]) => (
        <label class="check">
          <input type="checkbox" name={name} value={value} checked={values.includes(value)} />
          <span>
            <code>{value}</code> <span class="muted">{description}</span>
          </span>
        </label>
      ))}
      {error && <p class="error">{error}</p>}
    </fieldset>
  );
}
