/** Whether the current user gets mails about failing subscriptions. */
import type { Role } from "../../tenants/roles";
import { PostForm, SubmitButton } from "../components/buttons";
import { Badge } from "../components/display";

export const Alerts = ({ isOn, tenantName, role }: { isOn: boolean; tenantName: string; role: Role }) => (
  <div class="narrow">
    <h1>Mails about failing subscriptions</h1>
    <PostForm action="/console/alerts" class="card">
      <h2>
        {tenantName} {isOn ? <Badge tone="ok">On</Badge> : <Badge tone="calm">Off</Badge>}
      </h2>
      <p>
        Owners and admins are told when a subscription fails for an hour, a day before it is disabled, when it is
        disabled, and when it works again. At most one mail an hour, except about a disabled subscription.
      </p>
      {role !== "owner" && role !== "admin" && <p class="muted">Your role is {role}, so you get none of them.</p>}
      <input type="hidden" name="alerts" value={isOn ? "off" : "on"} />
      <SubmitButton>{isOn ? "Turn off for me" : "Turn on for me"}</SubmitButton>
    </PostForm>
  </div>
);
