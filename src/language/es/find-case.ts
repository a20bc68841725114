/** The Spanish of the page that leads back to a case. */
import type { englishFindCase } from '#language/en/find-case.ts';

export const spanishFindCase = {
  'find.title': 'Volver a su caso',
  'find.lead': 'Escriba las doce palabras que anotó cuando envió su pregunta.',
  'find.words': 'Sus doce palabras',
  'find.words.hint': 'En inglés y en su orden. Las mayúsculas, las comas y los saltos de línea no importan.',
  'find.note.server':
    '{#strong}Nuestro script no funciona en su navegador.{/strong} Sus palabras van a nuestro servidor, que abre su caso con ellas y luego las olvida.',
  'find.note.browser':
    '{#strong}Sus palabras se quedan en su navegador.{/strong} Su caso se abre aquí, no en nuestro servidor.',
  'find.open': 'Ir a mi caso',
  'find.lost': 'No encuentro mis palabras',
  'find.lost.lead':
    'Sin ellas, nadie puede abrir su caso por usted. No guardamos ninguna copia, así que no podemos enviarlas otra vez ni hacer otras. Esto es lo que todavía sirve:',
  'find.lost.look':
    '{#strong}Busque su copia:{/strong} una hoja de papel, un gestor de contraseñas, sus notas o sus fotos.',
  'find.lost.type':
    '{#strong}Escriba lo que pueda leer.{/strong} Bastan las primeras cuatro letras de una palabra, y si una letra está mal, esta página sugiere la palabra.',
  'find.lost.reach':
    '{#strong}Si en el formulario nos dijo cómo comunicarnos con usted,{/strong} su investigador todavía puede hacerlo. El trabajo en su caso sigue.',
  'find.lost.write':
    '{#link}Escríbanos{/link} para cualquier otra cosa. No podemos buscar un caso por usted, porque no podemos saber que es suyo.',
  'find.lost.end': 'Su caso se borrará el día que está fijado, vuelva usted o no.',
} as const satisfies Readonly<Record<keyof typeof englishFindCase, string>>;
