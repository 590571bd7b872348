"""Asks DuckDB and Spark which words may stand where as a name, and writes test/fixtures/sql/words/<engine>.json.

    pip install duckdb pyspark    (Spark's parser needs a Java)
    python scripts/sql-words/record.py

For each position of positions.json the words that the engine refuses there (for Spark also those that
DuckDB, and so Postgres, reserves), and those with which the sentence means other tables than those named beside it. The list of words is the engines' own, with what no engine lists.
"""

import json
import re
from pathlib import Path

import duckdb
from pyspark.sql import SparkSession

folder = Path(__file__).resolve().parents[2] / "test/fixtures/sql/words"
positions = json.loads((folder / "positions.json").read_text())

# Words that are grammar somewhere, though neither engine lists them.
more = """straight_join asof semi anti positional global settings format sample qualify pivot unpivot summarize describe
minus version changes clone swap match_condition match_recognize value perform raise elseif loop while repeat call
declare begin ignore force load unload export refresh glob regexp rlike mod div xor connect prior start level rownum top
distinctrow bulk directed ordinality key index hour minute second day week month quarter year yesterday today sysdate
getdate current_datetime convert replace left right user name type status text date time timestamp interval count sum
rank first last"""

duck = duckdb.connect()
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
parser = spark._jsparkSession.sessionState().sqlParser()

keywords = dict(duck.execute("select keyword_name, keyword_category from duckdb_keywords()").fetchall())
reserved = {word for word, category in keywords.items() if category in ("reserved", "type_function")}
listed = [*keywords, *(row[0] for row in spark.sql("select keyword from sql_keywords()").collect())]
words = sorted({word.lower() for word in listed + more.split() if re.fullmatch(r"[A-Za-z_]+", word)})


def duckdb_tables(sql, word):
    """None when refused; ["any"] when taken, though no tables can be asked for."""
    try:
        duck.extract_statements(sql)
    except duckdb.Error:
        return None
    try:
        found = duck.get_table_names(sql, qualified=True)
    except duckdb.Error as error:
        return ["unknown"] if "Set operations" in str(error) else ["any"]
    return sorted(re.sub(r" AS .*$", "", name).replace('"', "") for name in found)


def spark_tables(sql, word):
    # By default Spark takes FROM as the name of a column; nobody writes that, and in a text being typed it is grammar.
    if word in reserved:
        return None
    try:
        plan = parser.parsePlan(sql).toString()
    except Exception:
        return None
    common = {name.strip() for names in re.findall(r"CTE \[([^\]]*)\]", plan) for name in names.split(",")}
    found = {name.replace(", ", ".") for name in re.findall(r"UnresolvedRelation \[([^\]]*)\]", plan)}
    return sorted({name.lower() for name in found - common})


def record(tables_of, targets_in_tables):
    refused = {}
    for position, entry in positions.items():
        said = {}
        for word in words:
            expected = sorted(name.replace("WORD", word) for name in entry["tables"])
            got = tables_of(entry["sql"].replace("WORD", word), word)
            made = targets_in_tables and entry["sql"].startswith("CREATE")
            if got is None:
                said[word] = None
            elif got not in (["any"], [name for name in expected if not made or name != word]):
                said[word] = got
        refused[position] = {
            "refused": " ".join(word for word, got in said.items() if got is None),
            "otherwise": {word: got for word, got in said.items() if got is not None},
        }
    return refused


(folder / "words.json").write_text(json.dumps(" ".join(words)) + "\n")
for name, answer in (("duckdb", record(duckdb_tables, False)), ("spark", record(spark_tables, True))):
    (folder / f"{name}.json").write_text(json.dumps(answer, indent=2) + "\n")
