/** The fields in which somebody shows who they are: an address, a password, a code. */
import { TextField, type TextFieldProps } from "./fields";
import { useTexts } from "./mount";

export const EmailField = (props: Omit<TextFieldProps, "name" | "label" | "type">) => (
  <TextField
    name="email"
    label={useTexts().say("field.email")}
    type="email"
    autocomplete="username"
    required
    {...props}
  />
);

export const PasswordField = (props: Partial<TextFieldProps>) => (
  <TextField
    name="password"
    label={useTexts().say("field.password")}
    type="password"
    autocomplete="current-password"
    required
    {...props}
  />
);

export const NewPasswordField = (props: Partial<TextFieldProps>) => (
  <TextField
    name="newPassword"
    label={useTexts().say("field.newPassword")}
    type="password"
    autocomplete="new-password"
    required
    {...props}
  />
);

/** A code that works once, from an app or a mail. */
export const CodeField = (props: Partial<TextFieldProps>) => (
  <TextField name="code" label={useTexts().say("field.code")} autocomplete="one-time-code" required {...props} />
);
