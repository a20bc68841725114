/** Makes a new JPEG of a picture whose hidden data cannot be taken out of the file: nothing but what is seen goes over. */

/** The brands of AVIF and HEIC pictures (ISO/IEC 23000-22 §7, 23008-12 §10.2); sequences would lose all but one. */
const STILL_BRANDS = ['avif', 'heic', 'heix', 'heim', 'heis', 'mif1'];
const BRAND_OFFSET = 4;
const QUALITY = 0.92;
/** Beyond this, a phone may not have the memory for a canvas beside the picture, which the browser has opened by then. */
const MAX_PIXELS = 100_000_000;
const JPEG = 'image/jpeg';

export function isConvertiblePicture(start: Uint8Array): boolean {
  const text = String.fromCodePoint(...start.subarray(BRAND_OFFSET, BRAND_OFFSET + 8));
  return STILL_BRANDS.some((brand) => text === `ftyp${brand}`);
}

/** Null if this browser cannot show the picture. It is turned as its hidden data says. */
export async function convertToJpeg(file: File): Promise<File | null> {
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
    // A JPEG is not transparent; black would hide what is drawn in black.
    context.fillStyle = 'white';
    context.fillRect(0, 0, width, height);
    context.drawImage(bitmap, 0, 0);
    bitmap.close();
    const picture = await canvas.convertToBlob({ type: JPEG, quality: QUALITY });
    if (picture.type !== JPEG) return null;
    return new File([picture], `${file.name.replace(/\.[^.]*$/, '')}.jpg`, { type: JPEG });
  } catch {
    return null;
  }
}
