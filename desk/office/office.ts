/** What the desk's pages may ask of the office. Every fault has a text that investigators can be shown as it is. */
import type { DraftFields } from '#desk-program/keys/draft-file.ts';
import type { RememberedPerson } from '#desk-program/keys/people-file.ts';
import type { UnsentDraft } from '#desk-program/keys/unsent-file.ts';
import type { CaseContent } from '#seal/case-content.ts';
import type { CaseFile, FilePlace } from '#seal/case-files.ts';
import type { SealedPlace } from '#seal/envelope.ts';
import type { SealedKind } from '#seal/header.ts';
import type { UnreadableReason } from '#seal/opened-part.ts';
import type { OpenedSealedFile } from '#seal/sealed-file.ts';
import type { DeskActRequest, DeskCase, DeskQueue, DeskQueueQuery } from '#wire/desk-cases.ts';
import type { DeskNumbers } from '#wire/desk-office.ts';
import type { DeskPersonView, DeskSession } from '#wire/desk-session.ts';
import type { AuditOffice } from './office-audit.ts';
import type { ContactOffice } from './office-contact.ts';
import type { OwnerOffice } from './owner-office.ts';

export interface DeskOffice extends AuditOffice, ContactOffice, OwnerOffice {
  /** The address that the desk was started with. */
  readonly origin: string;
  /** The hash of the own public key. */
  readonly holder: string;
  /** Null before the first sign-in and after signing out. */
  readonly session: OfficeSession | null;
  /** Signs in; the other methods do so by themselves when there is no session, or it has ended. */
  signIn(): Promise<OfficeSession>;
  /** Forgets what was opened, then tells the office, which gets a few seconds; nothing can be asked any more. */
  signOut(): Promise<void>;
  /** Ends connections; nothing can be asked afterwards. */
  close(): void;
  /** The investigator accepts the people: `shown` is what was on the page, all of them by `formatShownPerson`. */
  confirmPeople(shown: readonly string[]): Promise<void>;

  readQueue(query?: DeskQueueQuery): Promise<OfficeQueue>;
  /** How much waits, and nothing of what it is. */
  readNumbers(): Promise<DeskNumbers>;
  /** Opens the case with the own key and holds it to its pin. */
  readCase(id: string): Promise<DeskOpenedCase>;
  /** Forgets its key and its text until it is read again. */
  closeCase(id: string): void;
  /** Nothing of `content` may be used before the stream has ended: it fails at the end unless all is genuine. */
  streamFile(id: string, place: FilePlace): Promise<OpenedSealedFile>;
  /** A part that is not shown, as it was sealed, in whatever form. */
  readPartBytes(id: string, place: SealedPlace): Promise<Uint8Array>;

  /** Seals a message to the buyer. Refused with `case_changed` if there is more than `seen`. */
  sendMessage(id: string, message: DeskMessage): Promise<DeskCase>;
  /** Sealed to the people of the desk only. Refused with `people_changed` until their change is confirmed. */
  addNote(id: string, text: string): Promise<DeskCase>;
  deliver(id: string, finding: DeskFinding, onProgress?: (sent: DeliveryProgress) => void): Promise<DeskCase>;
  /** Null once the case is purged. */
  act(id: string, act: DeskActRequest['act']): Promise<DeskCase | null>;

  /** Drafts are sealed to the own key; each case has at most one. Null without one. */
  readDraft(id: string): Promise<DraftFields | null>;
  /** Fields that are not given stay; an empty one goes. */
  saveDraft(id: string, draft: DraftFields): Promise<void>;
  /** What was sent is no draft any more. */
  dropDraft(id: string, names: readonly string[]): Promise<void>;
  /** What was posted while the desk was locked, now part of the drafts of its cases. */
  takeUnsent(): Promise<readonly Pick<UnsentDraft, 'caseId' | 'fields'>[]>;
}

export interface OfficeSession extends Pick<DeskSession, 'holder' | 'office'> {
  readonly people: readonly DeskPersonView[];
  /** By the names that the investigator has confirmed; without a name if there is none. */
  readonly known: readonly RememberedPerson[];
  /** Who came, went or is called otherwise since the people were last confirmed; null if nothing changed. */
  readonly peopleChange: PeopleChange | null;
}

export interface PeopleChange {
  readonly came: readonly DeskPersonView[];
  readonly went: readonly RememberedPerson[];
  /** The same key with another name or role. */
  readonly changed: readonly ChangedPerson[];
  /** No people of this office were ever confirmed. */
  readonly isFirst: boolean;
}

export interface ChangedPerson extends DeskPersonView {
  readonly before: RememberedPerson;
}

export interface OfficeQueue extends Omit<DeskQueue, 'cases'> {
  readonly cases: readonly DeskQueueEntry[];
}

export interface DeskQueueEntry extends DeskCase {
  /** `case`: never opened with this key; `answer`: the buyer has written since the last opening. */
  readonly news: 'case' | 'answer' | null;
}

/** How many messages of each side were there when the investigator read them. */
export interface SeenMessages {
  readonly buyer: number;
  readonly desk: number;
}

export interface DeskOpenedCase {
  readonly facts: DeskCase;
  /** Times are milliseconds since the epoch, as the office tells them. */
  readonly content: CaseContent<number>;
  readonly notes: readonly DeskNote[];
  /** All files that the opened parts name, in their order. */
  readonly files: readonly CaseFile[];
  /** Four groups of five digits; the buyer's case page shows the same. */
  readonly fingerprint: string;
  /** No opening with this key is remembered: compare the fingerprint with the buyer's. */
  readonly isFirstOpening: boolean;
  /** False if the inquiry does not open under the key of the case: nothing may be written to it. */
  readonly isGenuine: boolean;
  /** Numbers that must have been there, but are not. */
  readonly gaps: readonly CaseGap[];
  /** Where the office says something else than was sealed at the desk, each a whole sentence. */
  readonly differences: readonly string[];
  /** To hand back with what is written. */
  readonly seen: SeenMessages;
  /** The office's clock. */
  readonly now: number;
}

export interface CaseGap {
  readonly kind: SealedKind;
  readonly first: number;
  readonly last: number;
  /** A whole sentence about it. */
  readonly text: string;
}

export interface DeskNote {
  readonly seq: number;
  readonly at: number;
  /** The holder who wrote it, as the note says: any desk key could have; null if it could not be opened. */
  readonly by: string | null;
  /** The note, or why there is none to show. */
  readonly said:
    | { readonly text: string }
    | { readonly unreadable: string; readonly reason: UnreadableReason };
}

export type DeskMessage = DeskReply & { readonly seen: SeenMessages };

export type DeskReply = {
  readonly text: string;
  /** Also offers the call that a Dossier includes. */
  readonly offersCall?: boolean;
} & (
  | { readonly act: 'message' | 'ask' | 'decline' }
  /** `at` in milliseconds; `zone` is the one in which the buyer reads it. */
  | { readonly act: 'book_call'; readonly at: number; readonly zone: string }
  /** The text is the reason that the buyer reads. */
  | { readonly act: 'retain'; readonly keepDays: number }
);

export interface DeskFinding {
  readonly markdown: string;
  readonly files: readonly DeskAttachment[];
  readonly seen: SeenMessages;
  /** Without the time in which it can be taken back. */
  readonly atOnce?: boolean;
}

export interface DeskAttachment {
  readonly name: string;
  readonly size: number;
  /** Read once while it is sealed. */
  readonly content: () => ReadableStream<Uint8Array>;
}

/** Counts sealed bytes of all files together. */
export interface DeliveryProgress {
  readonly sent: number;
  readonly total: number;
}

/**
 * - `unreachable`, `untrusted`, `hostile`: no answer, no trusted connection, or an answer that no honest office gives.
 * - `challenge_refused`, `sign_in_refused`, `not_for_desk`: there is no session.
 * - `key_changed`, `altered`, `not_genuine`, `unreadable`: the case is not what it was, or does not open.
 * - `people_changed`: notes wait until the change is confirmed.
 * - `case_changed`: somebody wrote meanwhile; read it, then send again.
 * - `case_held`, `case_state`, `case_unknown`, `owner_only`, `refused`: the office refuses.
 * - `invalid`: what was written breaks a rule.
 * - `local_file`: a file of the desk cannot be read or written.
 */
export type OfficeFaultCode =
  | 'unreachable'
  | 'untrusted'
  | 'hostile'
  | 'challenge_refused'
  | 'sign_in_refused'
  | 'not_for_desk'
  | 'key_changed'
  | 'altered'
  | 'not_genuine'
  | 'unreadable'
  | 'people_changed'
  | 'case_changed'
  | 'case_held'
  | 'case_state'
  | 'case_unknown'
  | 'owner_only'
  | 'order_waits'
  | 'refused'
  | 'invalid'
  | 'local_file';

export class OfficeFault extends Error {
  readonly code: OfficeFaultCode;

  /** `text` is shown to the investigator. */
  constructor(code: OfficeFaultCode, text: string, cause?: unknown) {
    super(text, { cause });
    this.name = 'OfficeFault';
    this.code = code;
  }

  get text(): string {
    return this.message;
  }
}
