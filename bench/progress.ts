/** Says on the terminal what a bench does; where there is none, one line for each bench. */
export interface BenchProgress {
  readonly begin: (name: string) => void;
  readonly report: (text: string) => void;
  readonly end: () => void;
}

export function createBenchProgress(stream: NodeJS.WriteStream): BenchProgress {
  let current = '';
  const clear = stream.isTTY ? '\r\x1b[K' : '';
  return {
    begin: (name) => {
      current = name;
      if (!stream.isTTY) stream.write(`${name}\n`);
    },
    report: (text) => {
      if (stream.isTTY) stream.write(`${clear}${current}: ${text}`.slice(0, stream.columns));
    },
    end: () => void stream.write(clear),
  };
}
