/** The Spanish of files: the list of chosen ones, what becomes of hidden data, and the wait for a connection. */
import type { englishFiles } from '#language/en/files.ts';

export const spanishFiles = {
  'files.chosen': 'Sus archivos',
  'files.looking': 'Mirando sus archivos…',
  'files.count':
    '.input {$count :integer} .match $count one {{{$count} archivo elegido.}} * {{{$count} archivos elegidos.}}',
  'files.remove': 'Quitar',
  'files.remove_file': 'Quitar {$file}',
  'files.removed': 'Quitado: {$file}',
  'files.cleaned': 'Antes de enviarlo, le quitamos la ubicación y los datos de la cámara.',
  'files.converted': 'Se envía como imagen JPEG, sin la ubicación ni los datos de la cámara.',
  'files.kept': 'El archivo conserva la ubicación y los datos de la cámara, como usted pidió.',
  'files.unclean':
    'Este archivo puede mostrar dónde, cuándo y con qué dispositivo se hizo. No podemos quitar eso. Quite el archivo si no es seguro para usted.',
  'files.unclean_kinds':
    'Podemos limpiar imágenes JPEG, PNG y WebP. Todo lo demás, como fotos HEIC, PDF y videos, se envía tal como está, con todo lo que diga de usted.',
  'files.empty': '“{$file}” quedó fuera: está vacío.',
  'files.too_large': '“{$file}” quedó fuera: un archivo puede ocupar {$limit :integer} MB como máximo.',
  'files.too_many': '“{$file}” quedó fuera: puede enviar {$limit :integer} archivos como máximo.',
  'files.too_much':
    '“{$file}” quedó fuera: todos los archivos juntos pueden ocupar {$limit :integer} MB como máximo.',
  'files.waiting': 'Esperando la conexión. Seguiremos desde donde nos quedamos. No cierre esta página.',
  'case.write.no_files':
    'Para enviar también archivos, abra su caso en un navegador con JavaScript activado: los pone bajo llave antes de enviarlos.',
  'problem.file_empty': 'Este archivo está vacío. Déjelo fuera.',
} as const satisfies Readonly<Record<keyof typeof englishFiles, string>>;
