/** The pages that ask before something ends: the words of each, and what they have in common. */
import type { Child, PropsWithChildren } from "hono/jsx";
import { FormButtons, PostForm } from "./buttons";
import { Say } from "./mount";
import { NarrowPage } from "./narrow-page";

interface Words {
  asks: (name: string) => Child;
  effects: readonly Child[];
  button: Child;
}

const WORDS = {
  subscription: {
    asks: (name) => <Say of="portal.asksDelete" values={{ name }} />,
    effects: [<Say of="portal.deleteEffect" />],
    button: <Say of="portal.deleteSubscription" />,
  },
  source: {
    asks: (name) => `Delete “${name}”?`,
    effects: [
      "Calls to its URL are refused from now on, and a new source gets another URL. Events that it has published " +
        "stay. You can't undo this. To stop calls for a while, turn the source off.",
    ],
    button: "Delete source",
  },
  connection: {
    asks: (name) => `Delete “${name}”?`,
    effects: ["Nobody signs on through it any more, and whom it knows is forgotten. You can't undo this."],
    button: "Delete connection",
  },
  connectionEnd: {
    asks: (name) => `Disable “${name}”?`,
    effects: ["Nobody signs on through it, and the sessions that it has opened end, until you activate it again."],
    button: "Disable connection",
  },
  directoryEnd: {
    asks: (name) => `Disable “${name}”?`,
    effects: ["Its directory is refused until you activate it again. The members whom it has made stay."],
    button: "Disable connection",
  },
  feed: {
    asks: (name) => `Delete ${name}?`,
    effects: ["Its token ends, and its consumers are forgotten. Programs that read it get an error. Events stay."],
    button: "Delete feed",
  },
  eventType: {
    asks: (name) => `Delete “${name}”?`,
    effects: ["All versions of its schema are deleted. Subscriptions stay. You can't undo this."],
    button: "Delete event type",
  },
  ownMembership: {
    asks: (name) => `Leave ${name}?`,
    effects: ["Your sessions and API keys in this tenant stop working at once."],
    button: "Leave",
  },
  member: {
    asks: (name) => `Remove ${name}?`,
    effects: ["Their sessions and API keys in this tenant stop working at once."],
    button: "Remove member",
  },
  role: { asks: (name) => `Change the role of ${name}?`, effects: [], button: "Change the role" },
  account: { asks: () => "Delete your account?", effects: [], button: "Delete my account" },
  tenant: { asks: (name) => `Delete ${name}?`, effects: [], button: "Delete the tenant" },
} as const satisfies Record<string, Words>;

interface ConfirmationProps {
  /** What ends or changes. */
  of: keyof typeof WORDS;
  name?: string;
  /** Stands above the form. */
  above?: Child;
  action: string;
  /** The page that "Cancel" leads to. */
  cancel: string;
}

/** `children` stand in the form, between the effects and the buttons. */
export function ConfirmationPage({
  of,
  name = "",
  above,
  action,
  cancel,
  children,
}: PropsWithChildren<ConfirmationProps>) {
  const { asks, effects, button }: Words = WORDS[of];
  return (
    <NarrowPage title={asks(name)}>
      {above}
      <PostForm action={action} class="card">
        {effects.map((effect) => (
          <p>{effect}</p>
        ))}
        {children}
        <FormButtons kind="danger" cancel={cancel}>
          {button}
        </FormButtons>
      </PostForm>
    </NarrowPage>
  );
}
