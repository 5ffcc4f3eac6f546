/** Which device asks for a sign-in: whoever has not started it sees that it is somebody else's. */
import { type AskingDevice, shownUserCode } from "../../../oauth/devices/device";
import { Say } from "../../components/mount";

export const DeviceFacts = ({ device: { userCode, kind, place } }: { device: AskingDevice }) => (
  <p class="break">
    <Say
      of="device.asks"
      values={{
        code: <strong>{shownUserCode(userCode)}</strong>,
        device: <strong>{kind}</strong>,
        place: <strong>{place}</strong>,
      }}
    />
  </p>
);
