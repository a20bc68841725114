/** The case that a page has opened: its keys stay in this worker, which opens and seals with them. */
import { base64urlnopad } from '@scure/base';
import { Fault } from '#browser/rpc/fault.ts';
import type { Field, Progress } from '#browser/rpc/jobs.ts';
import { ask, askUntilAnswered, jsonOf } from '#browser/rpc/service-requests.ts';
import type { Acted, CaseView, OpenedCase, SavedFile } from '#browser/workers/opener-jobs.ts';
import { keysOf } from '#browser/workers/word-keys.ts';
import { type CaseKey, openCaseKey } from '#seal/case-key.ts';
import { sealEnvelope } from '#seal/envelope.ts';
import type { FormFault } from '#seal/form-fields.ts';
import { type Message, validateMessage } from '#seal/message.ts';
import { messageFaults, messageFromForm } from '#seal/message-form.ts';
import { SealError } from '#seal/seal-error.ts';
import { NO_CASE } from '#seal/words.ts';
import { bytesOf, OWN_MESSAGE, openContent, type SealedObject } from './case-content.ts';
import { openArriving } from './open-file.ts';

/** The service knows nothing of words, only of what they lead to. */
const UNKNOWN = {
  code: 'case_unknown',
  sentence: NO_CASE,
  field: 'words',
} as const;

interface SealedCase extends CaseView {
  readonly case_key: string;
  readonly objects: readonly SealedObject[];
}

interface OwnCase {
  readonly lookupToken: string;
  readonly key: Promise<CaseKey>;
}

/** A message on its way: until it is answered, the same text goes as the same bytes to the same place. */
interface Letter {
  readonly text: string;
  readonly seq: number;
  readonly sealed: string;
  readonly call: boolean;
}

export class CaseOpening {
  #case: OwnCase | null = null;
  /** The place of the next message. */
  #seq = 0;
  #letter: Letter | null = null;

  async open(words: string): Promise<OpenedCase> {
    const { lookupToken, lookupHash, identity } = await keysOf(words);
    const found = await find(lookupToken);
    const opening = Promise.resolve(found.case_key).then((text) =>
      openCaseKey(bytesOf(text), identity, lookupHash),
    );
    this.#case = { lookupToken, key: opening };
    return await this.#opened(found);
  }

  /** Sealed at the place that was free when the case was last read; a place that is taken by now is the next one. */
  async write(fields: readonly Field[]): Promise<Acted | { readonly faults: readonly FormFault[] }> {
    const form = new Map(fields);
    const checked = validateMessage(messageFromForm(form));
    if ('errors' in checked) return { faults: messageFaults(checked.errors, form) };
    const { message } = checked;
    return await this.#orWhyNot(async () => {
      try {
        return await this.#send(message);
      } catch (error) {
        if (!isFault(error, 'case_changed')) throw error;
        this.#letter = null;
        await this.#read();
        return await this.#send(message);
      }
    });
  }

  async keep(days: number): Promise<Acted> {
    return await this.#orWhyNot(async () => {
      const request = jsonOf({ lookup_token: this.#own.lookupToken, keep_days: days });
      return await this.#answered(askUntilAnswered('/case/sealed/keep', request));
    });
  }

  async withdraw(): Promise<Acted> {
    return await this.#orWhyNot(async () => await this.#answered(ask('/case/sealed/withdraw', this.#lookup)));
  }

  /** One that is gone already, as after an answer that was lost, is erased. */
  async purge(): Promise<null> {
    try {
      await askUntilAnswered('/case/sealed/purge', this.#lookup);
    } catch (error) {
      if (!isFault(error, 'case_purged')) throw error;
    }
    return null;
  }

  async save(seq: number, progress: Progress): Promise<SavedFile> {
    const { lookupToken, key } = this.#own;
    const place = { kind: 'finding-file.v1', seq } as const;
    const answer = await ask('/case/sealed/file', jsonOf({ lookup_token: lookupToken, ...place }));
    return await openArriving(await key, place, answer, progress);
  }

  get #own(): OwnCase {
    if (!this.#case) throw new Error('a case is opened first');
    return this.#case;
  }

  get #lookup() {
    return jsonOf({ lookup_token: this.#own.lookupToken });
  }

  async #send(message: Message): Promise<OpenedCase> {
    const text = JSON.stringify(message);
    if (this.#letter?.text !== text) this.#letter = await this.#sealed(message, text);
    const { seq, sealed, call } = this.#letter;
    const request = jsonOf({ lookup_token: this.#own.lookupToken, seq, sealed, call });
    const opened = await this.#answered(askUntilAnswered('/case/sealed/message', request));
    this.#letter = null;
    return opened;
  }

  async #sealed(message: Message, text: string): Promise<Letter> {
    const seq = this.#seq;
    const sealed = await sealEnvelope(await this.#own.key, { kind: OWN_MESSAGE, seq }, message);
    return { text, seq, sealed: base64urlnopad.encode(sealed), call: message.call_windows.length > 0 };
  }

  /** What the case no longer allows is told above the case as it is now. */
  async #orWhyNot(act: () => Promise<OpenedCase>): Promise<Acted> {
    try {
      return { opened: await act(), refused: null };
    } catch (error) {
      if (!isFault(error, 'case_state') && !isFault(error, 'case_changed')) throw error;
      return { opened: await this.#read(), refused: error.message };
    }
  }

  async #read(): Promise<OpenedCase> {
    return await this.#answered(ask('/case/sealed', this.#lookup));
  }

  async #answered(asked: Promise<Response>): Promise<OpenedCase> {
    return await this.#opened((await (await asked).json()) as SealedCase);
  }

  async #opened({ case_key: _sealed, objects, ...view }: SealedCase): Promise<OpenedCase> {
    const { key } = this.#own;
    this.#seq = objects.filter(({ kind }) => kind === OWN_MESSAGE).length;
    const content = await openContent(objects, key);
    // Where nothing can be opened, nothing can be sealed either.
    const write = view.may.write && (await isReadable(key));
    return { ...view, may: { ...view.may, write }, ...content };
  }
}

async function find(lookupToken: string): Promise<SealedCase> {
  try {
    const answer = await ask('/case/sealed', jsonOf({ lookup_token: lookupToken }));
    return (await answer.json()) as SealedCase;
  } catch (error) {
    throw isFault(error, UNKNOWN.code) ? new Fault(UNKNOWN) : error;
  }
}

async function isReadable(key: Promise<CaseKey>): Promise<boolean> {
  return await key.then(
    () => true,
    (error: unknown) => {
      if (error instanceof SealError) return false;
      throw error;
    },
  );
}

function isFault(error: unknown, code: string): error is Fault {
  return error instanceof Fault && error.code === code;
}
