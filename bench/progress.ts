/** Says on the terminal what a bench does; where there is none, one line for each bench. */
export interface BenchProgress {
  readonly report: (text: string) => void;
  readonly end: () => void;
}

export function createBenchProgress(
  stream: Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>,
): BenchProgress {
  const clear = stream.isTTY ? '\r\x1b[K' : '';
  let lastName = '';
  return {
    report: (text) => {
      if (stream.isTTY) return void stream.write(clear + text.slice(0, stream.columns - 1));
      const [name = ''] = text.split(':');
      if (name !== lastName) stream.write(`${name}\n`);
      lastName = name;
    },
    end: () => void stream.write(clear),
  };
}
