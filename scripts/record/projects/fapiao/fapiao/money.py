"""金额：解析、舍入、显示。全部使用 Decimal，禁止 float。"""

from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation

from .errors import 金额错误

分 = Decimal("0.01")


def 解析(文字):
    """把“1,234.50”“￥1234.5”“１２３４．５”这样的写法变成 Decimal。空白表示没有填写，报错。"""
    原文 = 文字
    文字 = 文字.strip().lstrip("￥¥").replace(",", "").replace("，", "")
    # 业务系统有时导出全角数字。
    文字 = "".join(chr(ord(字) - 0xFEE0) if "！" <= 字 <= "～" else 字 for 字 in 文字)
    if not 文字:
        raise 金额错误("金额没有填写")
    try:
        值 = Decimal(文字)
    except InvalidOperation as 错误:
        raise 金额错误(f"“{原文}”不是金额") from 错误
    if not 值.is_finite():
        raise 金额错误(f"“{原文}”不是金额")
    return 值


def 舍入(值):
    """舍入到分。"""
    return 值.quantize(分, rounding=ROUND_HALF_EVEN)


def 显示(值):
    """带千位分隔符，两位小数。"""
    return f"{舍入(值):,.2f}"
