"""读取 CSV：先按 UTF-8，再按 GB18030。"""

import csv
import datetime
import io
from decimal import Decimal
from pathlib import Path

from . import money
from .errors import 读取错误, 金额错误
from .model import 列名, 发票

编码顺序 = ("utf-8-sig", "gb18030")


def 读文字(路径):
    """返回（文字，编码）。两种编码都不行时报错。"""
    数据 = Path(路径).read_bytes()
    for 编码 in 编码顺序:
        try:
            return 数据.decode(编码), 编码
        except UnicodeDecodeError:
            continue
    raise 读取错误(路径, 0, f"编码不是 {' 也不是 '.join(编码顺序)}")


def 读发票(路径):
    """返回发票列表，顺序与文件一致。"""
    文字, _ = 读文字(路径)
    表 = csv.DictReader(io.StringIO(文字))
    缺少 = [列 for 列 in 列名 if 列 not in (表.fieldnames or [])]
    if 缺少:
        raise 读取错误(路径, 1, f"缺少列：{'、'.join(缺少)}")
    return [一张(路径, 行号, 行) for 行号, 行 in enumerate(表, 2)]


def 一张(路径, 行号, 行):
    try:
        return 发票(
            行号,
            行["发票代码"].strip(),
            行["发票号码"].strip(),
            datetime.date.fromisoformat(行["开票日期"].strip()),
            行["销售方名称"],
            行["销售方税号"].strip(),
            行["货物名称"].strip(),
            money.解析(行["金额"]),
            读税率(行["税率"]),
            money.解析(行["税额"]),
            money.解析(行["价税合计"]),
            (行["备注"] or "").strip(),
        )
    except 金额错误 as 错误:
        raise 读取错误(路径, 行号, str(错误)) from 错误
    except ValueError as 错误:
        raise 读取错误(路径, 行号, f"开票日期“{行['开票日期']}”应写成 2026-03-31 的样子") from 错误


def 读税率(文字):
    """“13%”或者“0.13”；“免税”等于 0。"""
    文字 = 文字.strip()
    if 文字 == "免税":
        return Decimal(0)
    if 文字.endswith("%"):
        return money.解析(文字[:-1]) / 100
    return money.解析(文字)


def 读名录(路径):
    """返回 {税号: 名称}。"""
    文字, _ = 读文字(路径)
    表 = csv.DictReader(io.StringIO(文字))
    for 列 in ("税号", "名称"):
        if 列 not in (表.fieldnames or []):
            raise 读取错误(路径, 1, f"缺少列：{列}")
    return {行["税号"].strip(): 行["名称"].strip() for 行 in 表}
