/** The Spanish of what every page has: its frame, its forms, spans of time, and the steps of an inquiry. */
import type { englishFrame } from '#language/en/frame.ts';

export const spanishFrame = {
  'language.name': 'Español',
  'frame.languages': 'Idioma',
  'frame.skip': 'Ir al contenido principal',
  'frame.home': 'Ir a la página de inicio',
  'frame.menu': 'Principal',
  'frame.menu.prices': 'Precios',
  'frame.menu.how': 'Cómo funciona',
  'frame.menu.privacy': 'Privacidad',
  'frame.menu.case': 'Su caso',
  'frame.out': 'Salida rápida',
  'frame.out.how': 'Cómo salir',
  'frame.out.text':
    'El botón vacía la pantalla de inmediato y abre Wikipedia. Después, el botón “Atrás” de su navegador muestra la página anterior a esta. El historial de su navegador no se borra.',
  'frame.out.keys': 'Presionar tres veces la tecla Escape hace lo mismo.',
  'frame.out.more': 'Más sobre cómo salir rápido, qué queda en su dispositivo y las líneas de ayuda',
  'frame.out.escape': 'o presione {#key}Esc{/key} tres veces',
  'frame.out.leave': 'Salir de esta página',
  'frame.foot.about': 'Consultas confidenciales con información pública, solo para fines lícitos.',
  'frame.foot.operator': 'A cargo de {$name}, {$address}. {#link}Quiénes somos{/link}',
  'frame.foot.before': 'Antes de comprar',
  'frame.foot.what_you_get': 'Qué recibe',
  'frame.foot.sample': 'Un ejemplo de respuesta',
  'frame.foot.questions': 'Preguntas y respuestas',
  'frame.foot.refunds': 'Reembolsos',
  'frame.foot.terms': 'Condiciones',
  'frame.foot.help': 'Ayuda',
  'frame.foot.privacy': 'Qué guardamos y quién puede leerlo',
  'frame.foot.safety': 'Cuídese: salir rápido, ocultar su visita, líneas de ayuda',
  'frame.foot.programs': 'Para programas y agentes',

  'form.problems': 'Hay un problema',
  'form.optional': '(opcional)',
  'form.error': 'Error:',
  'form.limit': 'Hasta {$count :integer} caracteres',
  'form.count_left':
    '.input {$count :integer} .match $count one {{Queda {$count} carácter}} * {{Quedan {$count} caracteres}}',
  'form.count_over':
    '.input {$count :integer} .match $count one {{Sobra {$count} carácter}} * {{Sobran {$count} caracteres}}',
  'form.open': 'Todavía no ha enviado su formulario. {#link}Volver a su formulario{/link}',

  'time.span_days':
    '.input {$days :integer} .match $days 1 {{un día}} 2 {{dos días}} 3 {{tres días}} 7 {{siete días}} * {{{$days} días}}',
  'time.span_hours': '.input {$hours :integer} .match $hours 1 {{una hora}} * {{{$hours} horas}}',

  'steps.place': 'Paso {$step :integer} de {$count :integer}',
  'steps.paid': 'Pagado',
  'steps.question': 'Su pregunta',
  'steps.case': 'Caso abierto',
  'markdown.index':
    'Para programas: {#link}llms.txt{/link} tiene una lista de todas las páginas y documentos.',
  'markdown.forms':
    'Los formularios y botones de este texto están en {#page}la página misma{/page}. Los programas envían lo mismo como dice {#docs}la referencia{/docs} (en inglés).',
} as const satisfies Readonly<Record<keyof typeof englishFrame, string>>;
