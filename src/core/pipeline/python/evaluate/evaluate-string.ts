import { sourceOf, spanIn } from '../calls/frame.ts';
import { childOf, childOfType, type SyntaxNode } from '../syntax/syntax-tree.ts';
import { appendInterpolated } from '../values/interpolate.ts';
import { appendStringContent, stringParts, stringStart } from '../values/string-literal.ts';
import { TextBuilder } from '../values/text-value.ts';
import type { Frame, Interpreter, Value } from '../values/value.ts';

/** A string literal, an f-string, or several of them side by side. */
export function evaluateString(node: SyntaxNode, frame: Frame, run: Interpreter): Value {
  const builder = new TextBuilder();
  const literals = node.type === 'concatenated_string' ? node.children : [node];
  for (const literal of literals) appendLiteral(builder, literal, frame, run);
  return builder.build();
}

function appendLiteral(builder: TextBuilder, node: SyntaxNode, frame: Frame, run: Interpreter): void {
  const { start, parts } = stringParts(node);
  if (start === undefined) return;
  const literal = stringStart(sourceOf(frame, start));
  const end = childOfType(node, 'string_end')?.start ?? node.end;
  // The grammar leaves white space at the edges of a literal out of its content nodes, so gaps are content too.
  let at = start.end;
  for (const part of parts) {
    if (part.type !== 'interpolation') continue;
    appendStringContent(builder, frame.text, frame.file, { start: at, end: part.start }, literal);
    appendInterpolation(builder, part, frame, run);
    at = part.end;
  }
  appendStringContent(builder, frame.text, frame.file, { start: at, end }, literal);
}

function appendInterpolation(builder: TextBuilder, part: SyntaxNode, frame: Frame, run: Interpreter): void {
  const expression = childOf(part, 'expression') ?? part.children[0];
  if (expression === undefined) return;
  const specifier = childOf(part, 'format_specifier');
  const conversion = childOf(part, 'type_conversion');
  appendInterpolated(builder, run.evaluate(expression, frame), {
    text: sourceOf(frame, part),
    at: spanIn(frame, part),
    source: sourceOf(frame, expression),
    expressionAt: { start: expression.start - part.start, end: expression.end - part.start },
    format: specifier === undefined ? '' : sourceOf(frame, specifier).slice(1),
    conversion: conversion === undefined ? '' : sourceOf(frame, conversion).slice(1),
  });
}
