import { defaultPayloadConverter, type Payload, type PayloadConverter } from "@temporalio/common";

/**
 * Anyone can send a signal with any bytes. What cannot be read becomes a value that the inbox refuses with an event; by
 * default the workflow task would fail, and be retried for ever. This holds for every payload a workflow receives: whoever
 * reads one that others can write checks its shape.
 */
export const payloadConverter: PayloadConverter = {
  toPayload: (value) => defaultPayloadConverter.toPayload(value),
  fromPayload: <T>(payload: Payload): T => {
    try {
      return defaultPayloadConverter.fromPayload<T>(payload);
    } catch (error) {
      return { unreadable: error instanceof Error ? error.message : String(error) } as T;
    }
  },
};
