/** The Spanish of copies of a case that the buyer keeps. */
import type { englishCopies } from '#language/en/case-copies.ts';

export const spanishCopies = {
  'copy.name': 'notas',
  'copy.answer.save': 'Guardar la respuesta',
  'copy.answer.print': 'Imprimir la respuesta',
  'copy.sent.save': 'Guardar lo que envió',
  'copy.sent.print': 'Imprimir lo que envió',
  'copy.saved': 'Guardado como {$name}. Quien pueda abrir este archivo puede leerlo.',
  'copy.all': 'Guardar todo',
  'copy.all.text':
    'Un solo archivo con lo que envió, todos los mensajes, la respuesta y todos los archivos adjuntos. Se arma en su navegador y no está bajo llave: guárdelo donde solo usted pueda abrirlo.',
  'copy.all.act': 'Guardar todo en un archivo',
  'copy.all.loading': 'Cargando y comprobando: {$percent :integer} %. Deje esta página abierta.',
  'copy.all.partly':
    'Guardado como {$name}, pero algunos archivos no se pudieron abrir. Adentro hay una lista de ellos; el resto está completo.',
  'copy.all.failed': 'No se guardó nada. {$reason}',
  'copy.sent': 'lo que envié',
  'copy.messages': 'mensajes',
  'copy.answer': 'respuesta',
  'copy.sent.files': 'archivos que envié',
  'copy.answer.files': 'archivos de la respuesta',
  'copy.damaged': 'no se abrieron',
  'copy.damaged.text': 'Estos archivos estaban dañados y no se pudieron abrir:',
  'copy.plain.answer': 'Si imprime esta página, solo se imprime la respuesta.',
  'copy.plain':
    'Para guardar todo en un archivo hace falta JavaScript, que aquí no está funcionando. Guarde los archivos uno por uno y copie el texto.',
} as const satisfies Readonly<Record<keyof typeof englishCopies, string>>;
