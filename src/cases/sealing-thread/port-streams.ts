/**
 * Passes byte streams and faults to another thread: a stream becomes a port over which the reader requests one chunk at
 * a time, a fault its code and sentence.
 */
import { MessageChannel, MessagePort } from 'node:worker_threads';
import { SealError, type SealErrorCode } from '#seal/core/seal-error.ts';

type ChunkRequest = 'next' | 'cancel';
type ChunkAnswer = { readonly chunk: Uint8Array | null } | { readonly fault: SealingFault };

interface StreamWatch {
  readonly onFault?: (error: unknown) => void;
  readonly onEnd?: () => void;
}

/** Replaces the streams in plain data with ports. */
export function wrapStreams(value: unknown, watch: StreamWatch = {}) {
  const channels: MessageChannel[] = [];
  const message = mapPlainData(value, (part) => {
    if (!(part instanceof ReadableStream)) return part;
    const channel = new MessageChannel();
    channels.push(channel);
    sendStream(part as ReadableStream<Uint8Array>, channel.port1, watch);
    return channel.port2;
  });
  return {
    message,
    transfer: channels.map(({ port2 }) => port2),
    // Ends the streams of a message that was not delivered.
    close: () => {
      for (const { port1 } of channels) port1.close();
    },
  };
}

/** Replaces ports with streams. `toError` converts the other side's fault, which is null if that side has ended. */
export function unwrapStreams(
  message: unknown,
  toError: (fault: SealingFault | null) => unknown = restoreSealingFault,
): unknown {
  return mapPlainData(message, (part) => (part instanceof MessagePort ? receiveStream(part, toError) : part));
}

/** Ends the streams of a message that will not be read. */
export function closeStreams(message: unknown): void {
  mapPlainData(message, (part) => {
    if (part instanceof MessagePort) part.close();
    return part;
  });
}

function mapPlainData(value: unknown, replace: (part: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((part) => mapPlainData(part, replace));
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype)
    return replace(value);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, mapPlainData(part, replace)]));
}

function sendStream(
  stream: ReadableStream<Uint8Array>,
  port: MessagePort,
  { onFault, onEnd }: StreamWatch,
): void {
  const reader = stream.getReader();
  const answerRequest = async (request: ChunkRequest): Promise<void> => {
    if (request === 'cancel') return port.close();
    const answer = await reader.read().then(
      ({ done, value }): ChunkAnswer => ({ chunk: done ? null : value }),
      (error: unknown): ChunkAnswer => {
        onFault?.(error);
        return { fault: toSealingFault(error) };
      },
    );
    port.postMessage(answer);
    if ('fault' in answer || answer.chunk === null) port.close();
  };
  port.on('message', (request: ChunkRequest) => void answerRequest(request));
  // Also when the other thread has ended.
  port.on('close', () => {
    onEnd?.();
    void reader.cancel().catch(() => undefined);
  });
}

function receiveStream(
  port: MessagePort,
  toError: (fault: SealingFault | null) => unknown,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const answer = await requestChunk(port);
        if (!answer || 'fault' in answer) controller.error(toError(answer?.fault ?? null));
        else if (answer.chunk === null) controller.close();
        else controller.enqueue(answer.chunk);
      },
      cancel: () => {
        port.postMessage('cancel' satisfies ChunkRequest);
        port.close();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Null if the other side has closed the port or its thread has ended. */
async function requestChunk(port: MessagePort): Promise<ChunkAnswer | null> {
  return await new Promise<ChunkAnswer | null>((resolve) => {
    const settle = (answer: ChunkAnswer | null) => {
      port.removeAllListeners();
      resolve(answer);
    };
    port.once('message', settle);
    port.once('close', () => settle(null));
    port.postMessage('next' satisfies ChunkRequest);
  });
}

export interface SealingFault {
  /** Null unless the data to seal or open is at fault. */
  readonly code: SealErrorCode | null;
  readonly sentence: string;
}

/** The text of any other error may quote what a person wrote. */
export function toSealingFault(error: unknown): SealingFault {
  if (error instanceof SealError) return { code: error.code, sentence: error.message };
  return { code: null, sentence: error instanceof Error ? error.constructor.name : typeof error };
}

export function restoreSealingFault(fault: SealingFault | null): Error {
  if (fault?.code) return new SealError(fault.code, fault.sentence);
  return new Error(`sealing failed: ${fault?.sentence ?? 'the other side ended'}`);
}
