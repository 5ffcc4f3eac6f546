/** Whether the current user gets subscription notices, the mails about failing subscriptions. */
import type { Role } from "../../base/schemas/roles";
import { PostForm, SubmitButton } from "../components/buttons";
import { Badge } from "../components/display";
import { NarrowPage } from "../components/narrow-page";

export const SubscriptionNotices = ({ isOn, tenantName, role }: { isOn: boolean; tenantName: string; role: Role }) => (
  <NarrowPage title="Subscription notices">
    <PostForm action="/alerts" class="card">
      <h2>
        {tenantName} {isOn ? <Badge tone="ok">On</Badge> : <Badge tone="calm">Off</Badge>}
      </h2>
      <p>
        Owners and admins get a mail when a subscription has failed for an hour, a day before it is disabled, when it is
        disabled, and when it works again. They get at most one such mail an hour, but are told at once when a
        subscription is disabled.
      </p>
      {role !== "owner" && role !== "admin" && <p class="muted">Your role is {role}, so you do not get these mails.</p>}
      <input type="hidden" name="alerts" value={isOn ? "off" : "on"} />
      <SubmitButton>{isOn ? "Turn off for me" : "Turn on for me"}</SubmitButton>
    </PostForm>
  </NarrowPage>
);
