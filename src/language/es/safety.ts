/** The Spanish of the safety page. */
import type { englishSafety } from '#language/en/safety.ts';

export const spanishSafety = {
  'safety.description':
    'Cómo salir rápido de este sitio, qué queda en su dispositivo y quién puede ayudarle ahora.',
  'safety.heading': 'Cuídese',
  'safety.danger':
    '¿Está en peligro ahora mismo? Llame primero al número de emergencias de su país. Trabajamos en horas, no en minutos. {#link}Números por país{/link}',
  'safety.leaving':
    'Cada página tiene un botón, {#strong}Salir de esta página{/strong}. Se queda en la parte de arriba de la pantalla. Vacía la pantalla de inmediato y abre Wikipedia en su lugar.',
  'safety.leaving.keys': 'Si tiene un teclado, presionar tres veces la tecla Escape hace lo mismo.',
  'safety.leaving.typed': 'Lo que escribió y no envió se pierde. No se le pregunta nada antes.',
  'safety.leaving.back':
    'La página que dejó ya no aparece con el botón Atrás de su navegador. Atrás muestra la página que vio antes, que todavía puede ser nuestra, o la página donde pagó.',
  'safety.leaving.history': 'Salir así no borra el historial de su navegador.',
  'safety.leaving.plain':
    'Con JavaScript desactivado, el botón es un enlace común: sale, pero Atrás lleva a la página que dejó y durante unos minutos muestra lo que escribió en ella; mejor cierre la pestaña. La tecla Escape no hace nada.',
  'safety.traces': 'Qué queda en su dispositivo',
  'safety.traces.text':
    'Su navegador guarda una lista de las páginas que visita. Si alguien más puede mirar su dispositivo:',
  'safety.traces.private':
    'Use una ventana privada (también llamada de incógnito). La ventana olvida la lista cuando usted la cierra. No la cierre hasta enviar su pregunta: el formulario que pagó está abierto solo en esa ventana. Si la cierra antes, le llega por correo un enlace de vuelta al formulario, a la dirección que dio al pagar.',
  'safety.traces.history': 'O borre el historial de hoy cuando termine.',
  'safety.traces.words':
    'Guarde sus doce palabras donde nadie más mire, y no en un navegador ni en notas que se sincronizan con otros dispositivos.',
  'safety.traces.receipt':
    'En el recibo dice “Online research” (investigación en línea), y también en el estado de cuenta de su tarjeta, después de nuestro nombre corto. El recibo va a la dirección de correo que dé al pagar, así que dé una que solo usted lea.',
  'safety.traces.spyware':
    'Si alguien pudo haber puesto un programa espía en su dispositivo, una ventana privada no ayuda. Use un dispositivo que esa persona nunca haya tenido en sus manos.',
  'safety.helplines': 'Quién puede ayudarle ahora',
  'safety.helplines.text':
    'Cada número viene de la página que está a su lado. Las llamadas pueden aparecer en la cuenta del teléfono. Si falta su país, lo dejamos fuera porque no teníamos certeza. Los nombres están en inglés.',
  'safety.helplines.country': 'País',
  'safety.helplines.who': 'Quién responde',
  'safety.helplines.number': 'Número',
  'safety.helplines.source': 'Fuente',
} as const satisfies Readonly<Record<keyof typeof englishSafety, string>>;
