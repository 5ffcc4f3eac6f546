/** The form for a new setup link: its fields as texts, and what the API is sent for them. */
import type { SetupTask } from "../../base/schemas/portal-schemas";
import type { Form } from "../http/form";

export interface SetupLinkValues {
  may: string[];
  connectionId: string;
  email: string;
  ttlSeconds: string;
}

export const TASKS = [
  ["connection", "The connection to the identity provider"],
  ["domains", "Domains"],
  ["directory", "The directory (SCIM) of the chosen connection"],
] as const satisfies readonly (readonly [SetupTask, string])[];

export const SETUP_LIFETIMES = [
  ["86400", "A day"],
  ["432000", "Five days"],
  ["604800", "A week"],
] as const;

export const NEW_SETUP_LINK: SetupLinkValues = {
  may: TASKS.map(([task]) => task),
  connectionId: "",
  email: "",
  ttlSeconds: "432000",
};

export const readValues = (sent: Form): SetupLinkValues => ({
  ...sent.texts("connectionId", "email", "ttlSeconds"),
  may: sent.list("may"),
});

/** What the API takes: only what is filled in. */
export const inputOf = ({ may, connectionId, email, ttlSeconds }: SetupLinkValues) => ({
  may,
  ttlSeconds: Number(ttlSeconds),
  ...(connectionId === "" ? {} : { connectionId }),
  ...(email === "" ? {} : { email }),
});
