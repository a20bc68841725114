/** What is said of a file beside its content: its name, its type and its size. */
import { type Rule, record, text, wholeNumber, yesOrNo } from './fields.ts';

interface AttachedFileFacts {
  readonly name: string;
  readonly mime: string;
  readonly size: number;
  /** True where the sender asked to leave the hidden data of a picture in it. */
  readonly kept_as_evidence: boolean;
}

export function attachedFile(maxBytes: number, tooLarge: string): Rule<AttachedFileFacts> {
  return record({
    name: text({
      min: 1,
      max: 255,
      missing: 'Give the file a name',
      allows: isFileName,
      refused: 'Give the file a name without slashes',
    }),
    mime: text({
      max: 127,
      allows: (mime) => /^[\x20-\x7e]*$/.test(mime),
      refused: 'Give a type such as image/jpeg',
    }),
    size: wholeNumber(maxBytes, tooLarge),
    kept_as_evidence: yesOrNo(),
  });
}

function isFileName(value: string): boolean {
  return !/[/\\\p{Cc}]/u.test(value);
}
