/** The requests of devices, in the Durable Objects of their codes. */
import type { Deps } from "../../base/deps";
import { unavailable } from "../../base/errors";
import { withRetry } from "../../base/limits/limiter";
import { describeError, log } from "../../base/log/log";
import type { AskingDevice } from "./device";
import type { DeviceAnswer, DeviceAsk, DeviceRequest, DeviceStanding } from "./durable-object";

type Named = Pick<AskingDevice, "userCode" | "id">;

/** Returns false if another device has the code. */
export const beginDevice = (deps: Deps, ask: DeviceAsk): Promise<boolean> =>
  call(deps, ask.userCode, (object) => object.begin(ask));

/** What the device asks for that shows this code; null if there is none. */
export const findDevice = (deps: Deps, userCode: string): Promise<DeviceAsk | null> =>
  call(deps, userCode, (object) => object.read());

/** What the device gets when it asks next. Returns false if its request has ended, or was answered before. */
export const answerDevice = (deps: Deps, { userCode, id }: Named, answer: DeviceAnswer): Promise<boolean> =>
  call(deps, userCode, (object) => object.answer(id, answer));

export const pollDevice = (deps: Deps, { userCode, id }: Named): Promise<DeviceStanding> =>
  call(deps, userCode, (object) => object.poll(id) as Promise<DeviceStanding>);

/** Throws SERVICE_UNAVAILABLE when the object cannot be reached. */
async function call<T>(
  { deviceRequests }: Deps,
  userCode: string,
  method: (object: DurableObjectStub<DeviceRequest>) => Promise<T>,
): Promise<T> {
  try {
    return await withRetry(() => method(deviceRequests.getByName(userCode)));
  } catch (error) {
    log("error", "device request failed", describeError(error));
    throw unavailable({ cause: error });
  }
}
