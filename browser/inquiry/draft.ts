/** The draft of a form: kept in this tab only if the buyer ticks the box, sealed before it is stored, and restored. */
import { base64urlnopad } from '@scure/base';
import type { FormEntry } from '#browser/rpc/jobs.ts';
import { findByData, findById, readData } from '#browser/ui/find.ts';
import { isTextControl, readFormContent, readFormValue } from '#browser/ui/form-values.ts';
import { QUICK_EXIT_EVENT } from '#browser/ui/leave-button.ts';
import { decodeUtf8, encodeUtf8 } from '#seal/core/bytes.ts';
import {
  CLOSE_FORM_PART,
  DRAFT_PARTS,
  FORM_TOKEN_HEADER,
  INQUIRY_DRAFT_PATH,
  INQUIRY_HIDDEN_FIELDS,
  INQUIRY_PATH,
  type InquiryPart,
} from '#wire/inquiry-page.ts';
import type { DraftHalf } from '#wire/inquiry-requests.ts';

const NAME = 'draft';
const HALF_BYTES = 32;
const IV_BYTES = 12;
/** Binds the key to its use. May change at any time: a draft lives for a day at most. */
const INFO = encodeUtf8('inquiry-office/draft/v1');

interface Draft {
  readonly words: string;
  readonly fields: readonly FormEntry[];
}

/** The two halves of the key: this tab's and the service's. */
interface KeyHalves {
  readonly here: string;
  readonly there: string | Promise<string>;
}

interface OpenedDraft extends Draft {
  readonly halves: KeyHalves;
}

interface StoredDraft {
  /** This tab's half of the key. */
  readonly half: string;
  readonly sealed: string;
}

/** Null if there is no draft, or if the service has deleted its half of the key. */
export async function openDraft(form: HTMLFormElement): Promise<OpenedDraft | null> {
  try {
    const { half, sealed } = JSON.parse(readStoredDraft() ?? '') as StoredDraft;
    const halves = { here: half, there: readData(form, 'draft-half') ?? '' };
    const key = await deriveDraftKey(halves.here, halves.there);
    const bytes = base64urlnopad.decode(sealed);
    const plain = await crypto.subtle.decrypt(
      { name: 'AES-GCM', iv: bytes.slice(0, IV_BYTES) },
      key,
      bytes.slice(IV_BYTES),
    );
    return { ...(JSON.parse(decodeUtf8(new Uint8Array(plain))) as Draft), halves };
  } catch {
    return null;
  }
}

function hasStoredDraft(): boolean {
  return readStoredDraft() !== null;
}

/** Browsers that block site data throw, so nothing is stored. */
function readStoredDraft(): string | null {
  try {
    return sessionStorage.getItem(NAME);
  } catch {
    return null;
  }
}

function removeStoredDraft(): void {
  if (hasStoredDraft()) sessionStorage.removeItem(NAME);
}

class DraftKeeper {
  readonly #token: string;
  #halves: KeyHalves | null = null;
  #saving: Promise<void> = Promise.resolve();
  #forgetting: Promise<unknown> = Promise.resolve();

  constructor(token: string) {
    this.#token = token;
    const closesForm = findById('close-form');
    document.addEventListener(QUICK_EXIT_EVENT, () => {
      void this.discard();
      if (closesForm?.checked) void this.#sendRequest('DELETE', INQUIRY_PATH);
    });
  }

  /** Asks the service for its half, unless it is known; `save` then waits for it. */
  start(known?: KeyHalves): void {
    const here = base64urlnopad.encode(crypto.getRandomValues(new Uint8Array(HALF_BYTES)));
    this.#halves = known ?? { here, there: this.#requestHalf() };
  }

  /** Saves one draft after another, so that the last one wins. */
  async save(draft: Draft): Promise<void> {
    this.#saving = this.#saving.catch(() => undefined).then(() => this.#sealAndStore(draft));
    await this.#saving;
  }

  /** Sufficient once the form is sent, because the service then deletes its half by itself. */
  discardHere(): void {
    this.#halves = null;
    removeStoredDraft();
  }

  /** Callers need not wait for the response: the page may be closed by then. */
  async discard(): Promise<void> {
    const isKept = this.#halves !== null || hasStoredDraft();
    this.discardHere();
    if (!isKept) return;
    this.#forgetting = this.#sendRequest('DELETE').catch(() => undefined);
    await this.#forgetting;
  }

  async #sealAndStore(draft: Draft): Promise<void> {
    const halves = this.#halves;
    if (!halves) return;
    const key = await deriveDraftKey(halves.here, await halves.there);
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
    const plain = encodeUtf8(JSON.stringify(draft)) as BufferSource;
    const box = new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, plain));
    // If the box was unticked or the form sent meanwhile, nothing may be stored any more.
    if (this.#halves !== halves) return;
    const sealed = base64urlnopad.encode(Uint8Array.from([...iv, ...box]));
    sessionStorage.setItem(NAME, JSON.stringify({ half: halves.here, sealed } satisfies StoredDraft));
  }

  async #requestHalf(): Promise<string> {
    // Otherwise the service would delete the half that it is about to create.
    await this.#forgetting;
    const response = await this.#sendRequest('POST');
    if (!response.ok) throw new Error('no half of a key');
    return ((await response.json()) as DraftHalf).half;
  }

  async #sendRequest(method: 'POST' | 'DELETE', path = INQUIRY_DRAFT_PATH): Promise<Response> {
    const headers = { [FORM_TOKEN_HEADER]: this.#token };
    return await fetch(path, { method, headers, keepalive: true });
  }
}

async function deriveDraftKey(here: string, there: string): Promise<CryptoKey> {
  if (here === '' || there === '') throw new Error('half a key is missing');
  const halves = encodeUtf8(`${here}.${there}`) as BufferSource;
  const secret = await crypto.subtle.importKey('raw', halves, 'HKDF', false, ['deriveKey']);
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: INFO as BufferSource };
  return await crypto.subtle.deriveKey(hkdf, secret, { name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ]);
}

/** Typing is saved once it pauses. */
const PAUSE_MS = 400;

/** Returns a function that forgets the draft, for when the form is sent. */
export function offerDraft(form: HTMLFormElement, words: string, draft: OpenedDraft | null): () => void {
  // There was a draft, but it can no longer be opened.
  const isLost = draft === null && hasStoredDraft();
  const keeper = new DraftKeeper(readFormValue(form, INQUIRY_HIDDEN_FIELDS.token));
  const box = findById('keep-draft');
  let pause: ReturnType<typeof setTimeout> | undefined;
  const save = () =>
    void keeper.save({ words, fields: listKeptFields(form) }).catch(() => {
      void keeper.discard();
      if (box) box.checked = false;
      showPart(DRAFT_PARTS.failed);
    });
  box?.addEventListener('change', () => {
    if (!box.checked) return void keeper.discard();
    keeper.start();
    save();
  });
  form.addEventListener('input', () => {
    clearTimeout(pause);
    if (box?.checked) pause = setTimeout(save, PAUSE_MS);
  });
  showPart(DRAFT_PARTS.choice);
  showPart(CLOSE_FORM_PART);
  if (box) box.disabled = false;
  if (isLost) {
    showPart(DRAFT_PARTS.lost);
    void keeper.discard();
  }
  if (draft && box) {
    box.checked = true;
    fillForm(form, draft.fields);
    showPart(DRAFT_PARTS.restored);
    keeper.start(draft.halves);
    save();
  }
  return () => {
    clearTimeout(pause);
    keeper.discardHere();
  };
}

function showPart(part: InquiryPart): void {
  const element = findByData('part', part);
  if (element) element.hidden = false;
}

/** All fields except files, which a script cannot choose again, and the hidden fields that the page itself contains. */
function listKeptFields(form: HTMLFormElement): readonly FormEntry[] {
  const own: readonly string[] = Object.values(INQUIRY_HIDDEN_FIELDS);
  return readFormContent(form).fields.filter(([name]) => !own.includes(name));
}

function fillForm(form: HTMLFormElement, fields: readonly FormEntry[]): void {
  const values = new Map(fields);
  for (const field of form.elements) {
    if (field instanceof HTMLInputElement && (field.type === 'radio' || field.type === 'checkbox')) {
      if (field.name !== '') field.checked = values.get(field.name) === field.value;
    } else if (isTextControl(field) && values.has(field.name)) field.value = values.get(field.name) ?? '';
    // Updates the character counts.
    field.dispatchEvent(new Event('input'));
  }
}
