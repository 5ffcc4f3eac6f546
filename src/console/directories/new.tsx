/** The page of a setup link that is for a directory and has no connection yet: there it makes one. */
import { PostForm, SubmitButton } from "../components/buttons";
import { FailureBanner } from "../components/failure";
import { TextField } from "../components/fields";
import { A } from "../components/mount";
import { HERE } from "./paths";

interface NewDirectoryProps {
  name: string;
  /** Whether the link is for a connection that signs people on, too. */
  mayConnect: boolean;
}

export const NewDirectory = ({ name, mayConnect }: NewDirectoryProps) => (
  <div class="narrow">
    <h1>Connect your directory</h1>
    <FailureBanner />
    {mayConnect && (
      <p>
        If people sign in with your identity provider too, set up <A to="/connections">single sign-on</A> first: its
        connection has a directory.
      </p>
    )}
    <PostForm action={HERE} class="card">
      <p>Your identity provider adds and removes people here by SCIM 2.0. The next page makes the token for it.</p>
      <TextField name="name" label="Name" value={name} placeholder="Okta" required maxlength={64} />
      <SubmitButton>Connect directory</SubmitButton>
    </PostForm>
  </div>
);
