// The words of a room: those of the interface whose names begin with room_.

import { kindOf, ownPiece } from "../tangram/board.ts";
import type { Say, StringName } from "../common/strings.ts";

type WithoutPrefix<Name> = Name extends `room_${infer Rest}` ? Rest : never;
export type Word = WithoutPrefix<StringName>;

export type Tell = (word: Word, values?: Record<string, string | number>) => string;

export function teller(say: Say): Tell {
  return (word, values) => say(`room_${word}`, values);
}

const SHAPES: Record<string, Word> = {
  "1": "shape_large", "2": "shape_large", "3": "shape_medium", "4": "shape_small", "5": "shape_small", "6": "shape_square", "7": "shape_parallelogram",
};
export const nameOf = (tell: Tell, piece: string): string => {
  const known = SHAPES[piece];
  const own = ownPiece(piece);
  const shape = known ? tell(known) : own ? `${own.colour_word} ${own.name}`.trim() : tell("shape_five", { letter: kindOf(piece) });
  return tell("piece", { n: piece, shape });
};
