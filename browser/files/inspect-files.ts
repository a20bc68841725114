/** Inspects files when they are chosen: refuses those that cannot be sent, and decides what happens to hidden data. */
import { detectCleanableImage } from '#seal/files/image-metadata.ts';
import {
  MAX_INQUIRY_FILE_BYTES,
  MAX_INQUIRY_FILE_MIB,
  MAX_INQUIRY_FILES,
  MAX_INQUIRY_TOTAL_BYTES,
  MAX_INQUIRY_TOTAL_MIB,
} from '#seal/form/inquiry-files.ts';
import { formatFileSize } from '#seal/form/inquiry-text.ts';

/** The brands of AVIF and HEIC pictures (ISO/IEC 23000-22 §7, 23008-12 §10.2); sequences would lose all but one. */
const STILL_BRANDS = ['avif', 'heic', 'heix', 'heim', 'heis', 'mif1'];
const BRAND_OFFSET = 4;
const JPEG_QUALITY = 0.92;
/** Above this, a phone may not have the memory for a canvas in addition to the decoded picture. */
const MAX_PIXELS = 100_000_000;
const JPEG = 'image/jpeg';

export interface FilesToInspect {
  readonly added: readonly File[];
  /** The files that were chosen earlier. */
  readonly before: readonly File[];
}

export interface AcceptedFile {
  /** What happens to the hidden data: removed, dropped in conversion, absent, or sent with the file. */
  readonly fate: 'cleaned' | 'converted' | 'plain' | 'unclean';
  /** The file that is sent, unless hidden data is to be kept. */
  readonly clean: File;
  /** The size as text. */
  readonly size: string;
}

export interface RefusedFile {
  readonly refused: 'empty' | 'too_large' | 'too_many' | 'too_much';
  /** The limit that the file exceeds; sizes are in MiB. */
  readonly limit: number;
}

export type FileVerdict = AcceptedFile | RefusedFile;

/** Enough to distinguish the kinds of files. */
const START_BYTES = 32;

/** Returns a verdict for each added file, in the same order. */
export async function inspectFiles({ added, before }: FilesToInspect): Promise<FileVerdict[]> {
  const verdicts: FileVerdict[] = [];
  let count = before.length;
  let total = before.reduce((sum, { size }) => sum + size, 0);
  for (const file of added) {
    const refused = findRefusal(file, count, total);
    if (refused) {
      verdicts.push(refused);
      continue;
    }
    count += 1;
    total += file.size;
    verdicts.push({ ...(await inspectHiddenData(file)), size: formatFileSize(file.size) });
  }
  return verdicts;
}

function findRefusal({ size }: File, count: number, total: number): RefusedFile | null {
  if (size === 0) return { refused: 'empty', limit: 0 };
  if (size > MAX_INQUIRY_FILE_BYTES) return { refused: 'too_large', limit: MAX_INQUIRY_FILE_MIB };
  if (count >= MAX_INQUIRY_FILES) return { refused: 'too_many', limit: MAX_INQUIRY_FILES };
  if (total + size <= MAX_INQUIRY_TOTAL_BYTES) return null;
  return { refused: 'too_much', limit: MAX_INQUIRY_TOTAL_MIB };
}

async function inspectHiddenData(file: File): Promise<Pick<AcceptedFile, 'fate' | 'clean'>> {
  const start = await readStart(file);
  if (detectCleanableImage(start)) return { fate: 'cleaned', clean: file };
  if (file.type === 'text/plain') return { fate: 'plain', clean: file };
  const converted = isConvertiblePicture(start) ? await convertToJpeg(file) : null;
  return converted && converted.size <= MAX_INQUIRY_FILE_BYTES
    ? { fate: 'converted', clean: converted }
    : { fate: 'unclean', clean: file };
}

/** Empty for a file that cannot be read; the attempt to send it shows why. */
async function readStart(file: File): Promise<Uint8Array> {
  try {
    return new Uint8Array(await file.slice(0, START_BYTES).arrayBuffer());
  } catch {
    return new Uint8Array();
  }
}

function isConvertiblePicture(start: Uint8Array): boolean {
  const text = String.fromCodePoint(...start.subarray(BRAND_OFFSET, BRAND_OFFSET + 8));
  return STILL_BRANDS.some((brand) => text === `ftyp${brand}`);
}

/** Null if this browser cannot convert the picture. The rotation in its hidden data is applied. */
async function convertToJpeg(file: File): Promise<File | null> {
  try {
    const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' });
    const { width, height } = bitmap;
    if (width * height > MAX_PIXELS) {
      bitmap.close();
      return null;
    }
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d');
    if (!context) return null;
    // JPEG has no transparency, and a black background would hide what is drawn in black.
    context.fillStyle = 'white';
    context.fillRect(0, 0, width, height);
    context.drawImage(bitmap, 0, 0);
    bitmap.close();
    const picture = await canvas.convertToBlob({ type: JPEG, quality: JPEG_QUALITY });
    if (picture.type !== JPEG) return null;
    return new File([picture], `${file.name.replace(/\.[^.]*$/, '')}.jpg`, { type: JPEG });
  } catch {
    return null;
  }
}
